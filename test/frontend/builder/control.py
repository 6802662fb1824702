# RUN: env PYTHONPATH=%S/Inputs %python %s
# REQUIRES: torch, python-torch
"""Scripted control flow, containers, strings and numbers, against eager."""
from typing import Dict, List, NamedTuple, Optional, Tuple

import torch
from eager import check, finish, program, refuse
from torch import Tensor, nn

x = torch.randn(3, 4)
script = {"kinds": ("pt",)}


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
        self.table = nn.ModuleDict({"a": nn.Linear(4, 2), "b": nn.Linear(4, 3)})
        self.names = ["a", "b"]

    def forward(self, x, mode: str, n: int = 2):
        outputs: List[Tensor] = []
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i % 2 == 0:
                x = torch.relu(x)
            outputs.append(x)
        for _ in range(n):
            x = x * 0.5
        if mode == "stack":
            return torch.stack(outputs), x
        elif mode == "cat":
            return torch.cat(outputs[1:], 1), x
        raise ValueError("bad mode {}".format(mode))


class Pair(NamedTuple):
    first: Tensor
    second: Optional[Tensor]


class Containers(nn.Module):
    def pair(self, x, flag: bool) -> Pair:
        return Pair(x + 1, x if flag else None)

    def forward(self, x):
        found: Dict[str, Tensor] = {"a": x}
        found["b"] = x * 2
        total = torch.zeros(3, 4)
        for key, value in found.items():
            if key.startswith("b") or "a" in key:
                total = total + value
        sizes = [s + 1 for s in x.shape]
        last = sizes.pop()
        sizes.insert(0, last)
        p = self.pair(x, len(sizes) > 1)
        q = self.pair(x, False)
        second = p.second
        if second is not None:
            total = total + second
        if q.second is None:
            total = total - 1
        a, b = x.unbind(0)[0:2]
        parts = [a, b] + [a]
        return {"total": total, "list": parts, "size": sizes[0], "text": x.size(0) / 2, "pair": (p.first, sum([1, 2, 3]))}


class Numbers(nn.Module):
    def forward(self, x):
        n = x.size(1)
        a = -7 // 2 + (-7) % 3 + 7 // -2
        b = 2 ** 3 + int(7.9) + int(-7.9) + round(2.5)
        c = float(n) / 3 + max(1, n) - min(2.5, 1.5) + abs(-3)
        d = (n << 2) | 1 if n > 2 and not n == 5 else 0
        limit = 0
        while limit < 100 and limit * limit < 50:
            limit += 1
        return x * a + b, torch.tensor(c), d + limit, torch.full((n,), float(a)), bool(n)


class Early(nn.Module):
    def forward(self, x, k: Optional[int] = None):
        if k is None:
            return x
        for i in range(10):
            if i == k:
                return x + i
            x = x * 2
        return x


class Nested(nn.Module):
    def step(self, x: Tensor, state: Tuple[Tensor, Tensor]) -> Tuple[Tensor, Tuple[Tensor, Tensor]]:
        h, c = state
        h = torch.tanh(x + h)
        return h, (h, c + h)

    def forward(self, x):
        state = (torch.zeros(4), torch.zeros(4))
        outputs = torch.jit.annotate(List[Tensor], [])
        for row in x.unbind(0):
            y, state = self.step(row, state)
            outputs += [y]
        return torch.stack(outputs), state


check("module list, dict and a string argument", Layers(), x, bind={"mode": "stack"}, **script)
check("another string", Layers(), x, bind={"mode": "cat", "n": 3}, **script)
check("dicts, named tuples, optionals", Containers(), x, **script)
check("arithmetic", Numbers(), x, **script)
check("early return, none", Early(), x, **script)
check("early return in a loop", Early(), x, bind={"k": 3}, **script)
check("nested states", Nested(), x, **script)


class Shape(nn.Module):
    def forward(self, x, y):
        b, t, d = x.shape
        z = x.view(b, t, 2, d // 2).transpose(1, 2)
        mask = torch.arange(t)[None, :] < y[:, None]
        scale = 1.0 / (d // 2) ** 0.5
        return z * scale, mask, x.reshape(b * t, -1), x[:, : t - 1], torch.zeros(b, t), x.mean(1) * t


rows = torch.tensor([1, 3])
check("traced shape arithmetic", Shape(), torch.randn(2, 3, 4), rows, kinds=("trace", "pt", "pt2"))
check("symbolic sizes", Shape(), torch.randn(2, 3, 4), rows, kinds=("trace", "pt"), specs=["B,T,4", "B"],
      more=[(torch.randn(1, 7, 4), torch.tensor([5])), (torch.randn(4, 2, 4), torch.tensor([1, 2, 0, 1]))])
check("symbols that must agree", lambda a, b: a + b, torch.randn(2, 3), torch.randn(2, 3), kinds=("trace",), specs=["B,3", "C,3"], more=[(torch.randn(5, 3), torch.randn(5, 3))])
refuse("a check of data that raises", program("""
def forward(self, x):
    y = x + 1
    if x.sum() > 0:
        raise ValueError("positive")
    return y
"""), x, kinds=("pt",), saying="if x.sum() > 0:")
refuse("an assertion on data", program("""
def forward(self, x):
    assert x.max() < 10, "too large"
    return x + 1
"""), x, kinds=("pt",), saying="a check of tensor data that raises")
finish()
