"""Operators that index by data, for bounds.py: what each does, a call that is right, and what its indices may be.

Tables are a page or several, so that with `arena=False` both their ends lie at inaccessible pages.
"""
import dataclasses
from typing import Callable

import torch
import torch.nn.functional as F


@dataclasses.dataclass
class Case:
    name: str
    function: Callable
    tensors: list
    index: int  # the position of the tensor of indices
    size: int  # indices from 0 to size - 1 are right
    wraps: bool = False  # and from -size on
    symbolic: bool = True
    shifted: bool = False  # errors name indices below 0 as counted from the end: index + size


CASES = []
ROWS, COLUMNS = 16, 64  # f32: one page
TABLE = torch.randn(ROWS, COLUMNS, generator=torch.Generator().manual_seed(1))
WIDE = torch.randn(4, ROWS, COLUMNS, generator=torch.Generator().manual_seed(2))
LIST = torch.tensor([3, 0, 15, 7, 8, 2, 1, 14, 5])
PICKED = torch.randn(len(LIST), COLUMNS, generator=torch.Generator().manual_seed(3))
LOG = torch.log_softmax(TABLE, 1)
GRID = torch.randint(0, ROWS, (5, COLUMNS), generator=torch.Generator().manual_seed(4))
CLASSES = torch.randint(0, COLUMNS, (ROWS,), generator=torch.Generator().manual_seed(5))


def case(name, function, *tensors, index=1, size=ROWS, **rest):
    CASES.append(Case(name, function, list(tensors), index, size, **rest))


# Reading
case("index_select", lambda x, i: x.index_select(0, i), TABLE, LIST)
case("index_select of columns", lambda x, i: x.index_select(1, i) * 2, TABLE, LIST, size=COLUMNS)
case("index_select by int32", lambda x, i: x.index_select(0, i), TABLE, LIST.int())
case("gather", lambda x, i: x.gather(0, i), TABLE, GRID)
case("gather of columns", lambda x, i: x.gather(1, i), TABLE, GRID.T[:ROWS].contiguous(), size=COLUMNS)
case("gather and arithmetic", lambda x, i: torch.relu(x.gather(0, i)) + x[:5].exp(), TABLE, GRID)
case("gather of int64", lambda x, i: x.gather(0, i), TABLE.long(), GRID)
case("gather of bool", lambda x, i: x.gather(0, i), TABLE > 0, GRID)
case("gather of f16", lambda x, i: x.gather(0, i), TABLE.half(), GRID)
case("gather of f64", lambda x, i: x.gather(0, i), TABLE.double(), GRID)
case("take", lambda x, i: x.take(i), TABLE, LIST * 50, size=TABLE.numel(), wraps=True)
case("take_along_dim", lambda x, i: torch.take_along_dim(x, i, 0), TABLE, GRID, wraps=True, shifted=True)
case("index of rows", lambda x, i: x[i], TABLE, LIST, wraps=True)
case("index by int32", lambda x, i: x[i], TABLE, LIST.int(), wraps=True)
case("index of columns", lambda x, i: x[:, i] + 1, TABLE, LIST, size=COLUMNS, wraps=True)
case("index of two dims", lambda x, i, j: x[i, j], TABLE, LIST, LIST, wraps=True)
case("index of two dims, the second", lambda x, i, j: x[i, j], TABLE, LIST, LIST, index=2, size=COLUMNS, wraps=True)
case("index of two dims apart", lambda x, i, j: x[i, :, j], WIDE, torch.tensor([3, 0, 1]), torch.tensor([1, 2, 63]), size=4, wraps=True)
case("index of a sum", lambda x, i: (x + x.flip(0))[i].sum(1), TABLE, LIST, wraps=True)
case("embedding", lambda w, i: F.embedding(i, w), TABLE, LIST)
case("embedding by int32", lambda w, i: F.embedding(i, w), TABLE, LIST.int())
case("embedding and a norm", lambda w, i: F.layer_norm(F.embedding(i, w) + w[:1], (COLUMNS,)), TABLE, LIST)
case("embedding_bag sum", lambda w, i: F.embedding_bag(i, w, mode="sum"), TABLE, LIST.reshape(3, 3), symbolic=False)
case("embedding_bag mean", lambda w, i: F.embedding_bag(i, w, mode="mean"), TABLE, LIST.reshape(3, 3), symbolic=False)
case("embedding_bag max", lambda w, i: F.embedding_bag(i, w, mode="max"), TABLE, LIST.reshape(3, 3), symbolic=False)
case("nll_loss", lambda x, t: F.nll_loss(x, t), LOG, CLASSES, size=COLUMNS, symbolic=False)
case("nll_loss without a reduction", lambda x, t: F.nll_loss(x, t, reduction="none"), LOG, CLASSES, size=COLUMNS, symbolic=False)
case("nll_loss with weights", lambda x, t, w: F.nll_loss(x, t, w), LOG, CLASSES, TABLE[0].abs(), size=COLUMNS, symbolic=False)
case("nll_loss2d", lambda x, t: F.nll_loss(x, t), WIDE.transpose(0, 1).reshape(4, ROWS, 8, 8), torch.randint(0, ROWS, (4, 8, 8)), symbolic=False)
case("cross_entropy", lambda x, t: F.cross_entropy(x, t), TABLE, CLASSES, size=COLUMNS, symbolic=False)
case("multi_margin_loss", lambda x, t: F.multi_margin_loss(x, t), TABLE, CLASSES, size=COLUMNS, symbolic=False)

# Writing
case("scatter", lambda x, i, s: x.scatter(0, i, s), TABLE, GRID, TABLE)
case("scatter of a value", lambda x, i: x.scatter(0, i, 2.0), TABLE, GRID)
case("scatter of columns", lambda x, i, s: x.scatter(1, i, s), TABLE, GRID.T[:ROWS].contiguous(), TABLE, size=COLUMNS)
case("scatter of a sum", lambda x, i, s: x.scatter(0, i, s, reduce="add"), TABLE, GRID, TABLE)
case("scatter of a product", lambda x, i, s: x.scatter(0, i, s, reduce="multiply"), TABLE, GRID, TABLE)
case("scatter_add", lambda x, i, s: x.scatter_add(0, i, s) * 2, TABLE, GRID, TABLE)
case("scatter_add of int64", lambda x, i, s: x.scatter_add(0, i, s), TABLE.long(), GRID, TABLE.long())
for _how in ("sum", "prod", "mean", "amax", "amin"):
    case(f"scatter_reduce {_how}", lambda x, i, s, how=_how: x.scatter_reduce(0, i, s, how), TABLE, GRID, TABLE)
    case(f"scatter_reduce {_how} without self", lambda x, i, s, how=_how: x.scatter_reduce(0, i, s, how, include_self=False), TABLE, GRID, TABLE)
for _how in ("prod", "mean", "amax", "amin"):
    case(f"index_reduce {_how}", lambda x, i, s, how=_how: x.index_reduce(0, i, s, how), TABLE, LIST, PICKED)
case("index_add", lambda x, i, s: x.index_add(0, i, s, alpha=2), TABLE, LIST, PICKED)
case("index_add by int32", lambda x, i, s: x.index_add(0, i, s), TABLE, LIST.int(), PICKED)
case("index_copy", lambda x, i, s: x.index_copy(0, i, s), TABLE, LIST, PICKED)
case("index_fill", lambda x, i: x.index_fill(0, i, 3.0), TABLE, LIST, wraps=True, shifted=True)
case("index_put", lambda x, i, s: x.index_put((i,), s), TABLE, LIST, PICKED, wraps=True)
case("index_put accumulating", lambda x, i, s: x.index_put((i,), s, accumulate=True), TABLE, LIST, PICKED, wraps=True)
case("index_put of two dims", lambda x, i, j: x.index_put((i, j), x[0, :len(LIST)]), TABLE, LIST, LIST, index=2, size=COLUMNS, wraps=True, symbolic=False)
case("put", lambda x, i, s: x.put(i, s), TABLE, LIST * 50, PICKED[:, 0].contiguous(), size=TABLE.numel(), wraps=True)
case("put accumulating", lambda x, i, s: x.put(i, s, accumulate=True), TABLE, LIST * 50, PICKED[:, 0].contiguous(), size=TABLE.numel(), wraps=True)
case("one_hot", lambda x, i: F.one_hot(i, ROWS) + x[0, 0].long(), TABLE, LIST)


def _into_clone(x, i, s):
    y = x.clone()
    y[i] = s
    return y


def _into_view(x, i, s):
    y = x * 1
    y[2:].index_add_(0, i, s)
    return y


case("an assignment", _into_clone, TABLE, LIST, PICKED, wraps=True)
case("index_add_ into a view", _into_view, TABLE, LIST % 14, PICKED, size=14)
