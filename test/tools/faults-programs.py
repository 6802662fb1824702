# Faults that were seen in other graph compilers in programs: aliases and mutation, control flow of TorchScript, buffers and results of exported programs.
# Each through the whole path against eager, static and with symbolic dims.
# REQUIRES: graphc, torch, python-torch
# RUN: rm -rf %t && mkdir %t && cd %t && %python %s
import pathlib
import sys
import warnings
from typing import Tuple

import torch
import torch.nn.functional as F
from torch import Tensor

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))
from fault_cases import Cases, Model

warnings.filterwarnings("ignore")
torch.manual_seed(0)
cases = Cases(__file__)


def program(name, function, *inputs, **rest):
    """A function traced and exported."""
    cases.traced(name, function, *inputs, **rest)
    cases.exported(name, Model(function), *inputs, **rest)


# Alias and mutation
def copied_then_written(dst, src):
    d, s = dst.clone(), src.clone()
    d[:] = s
    s += 1
    return d, s


def reinterpreted_then_written(x):
    y = x * 1
    before = y.view(-1) * 2
    y.add_(5)
    return before, y


def narrowed_then_written(x):
    y = x.clone()
    before = y[1:].to(torch.int64) * 2
    y[1:] = 0
    return before, y


def expanded_then_written(x):
    y = torch.zeros(3, 1) + x[:1]
    z = y.expand(3, 4).clone()
    z[:, -1] = 7
    w = torch.zeros(1).expand(4).clone()
    w[-1] = 1
    return z, w


def filled_through_expand(x):
    y = x.clone()
    y[:1].expand(1, 1, -1).fill_(9)
    return y


def written_while_read(x):
    y = x.clone()
    y[1:] = y[:-1].clone() + y[1:]
    v = y.t()
    v[0] += v[1]
    return y


square = torch.arange(16.0).reshape(4, 4)
program("what was copied stays when its source changes", copied_then_written, torch.zeros(3), torch.tensor([1.0, 2.0, 3.0]))
program("a product of a view stays when the base changes", reinterpreted_then_written, torch.arange(6, dtype=torch.int32).reshape(2, 3))
program("a cast of a slice stays when the slice changes", narrowed_then_written, torch.arange(5, dtype=torch.int32))
program("the last column of an expanded tensor", expanded_then_written, torch.ones(2))
program("a fill through an expand", filled_through_expand, square, symbolic=False)
program("rows written from rows, columns through a transpose", written_while_read, square)


# TorchScript
class Rotation(torch.nn.Module):
    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
        a, b, c = x * 0, x * 0, x * 0
        for i in range(3):
            a, b, c = b, c, a
            a += 1
        return a, b, c


class CountedFill(torch.nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        y = x.clone()
        i = 0
        while i < 3:
            y.select(0, i).fill_(float(i))
            i += 1
        return y


class Carried(torch.nn.Module):
    """Values carried around a loop, with reads of the old ones after writes of the new."""

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        a, b = x.clone(), x + 1
        n = 0
        while n < 5:
            a, b = b, a + b
            a *= 2
            n += 1
        return a, b


class Clobber(torch.nn.Module):
    """A value from before the loop is needed in each of its rounds and after."""

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        kept = torch.relu(x)
        y = kept
        for i in range(4):
            z = y * 2
            y = z + kept
            z += y
        return y, kept


class Norms(torch.nn.Module):
    """Looks like a norm, but its shapes broadcast otherwise."""

    def forward(self, x: Tensor, w: Tensor) -> Tensor:
        mean = x.mean(-1, keepdim=True)
        var = ((x - mean) * (x - mean)).mean(-1, keepdim=True)
        return (x - mean) / torch.sqrt(var + 1e-5) * w


cases.scripted("names rotated in a loop with an in-place add", Rotation(), torch.ones(2), expected=[torch.ones(2)] * 3)
cases.scripted("fills of rows in a while loop", CountedFill(), torch.zeros(4, 3), symbolic=False)
cases.scripted("fills of rows in a while loop, any columns", CountedFill(), torch.zeros(3, 5), symbolic=False)
cases.scripted("values carried around a loop", Carried(), torch.tensor([1.0, 2.0, 3.0]))
cases.scripted("a value from before a loop", Clobber(), torch.tensor([1.0, -2.0, 3.0]))
for weights in (torch.randn(4), torch.randn(3, 1), torch.randn(2, 3, 4), torch.randn(5, 1, 1, 4)):
    cases.scripted(f"a norm times weights of shape {list(weights.shape)}", Norms(), torch.randn(2, 3, 4), weights)
    cases.exported(f"a norm times weights of shape {list(weights.shape)}", Norms(), torch.randn(2, 3, 4), weights)


# Exported programs
class Constants(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("ramp", torch.arange(4.0), persistent=False)
        self.lifted = torch.tensor([3.0, 1.0, 4.0, 1.0])

    def forward(self, x):
        return x * self.ramp + self.lifted


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.tensor([5.0, 6.0]))

    def forward(self, x):
        self.count.add_(x.sum())
        return self.count, self.count * x[:1]


class Returned(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(4, 3))

    def forward(self, x):
        self.cache[1:3] = x
        return self.cache


class NormResults(torch.nn.Module):
    def forward(self, x, w):
        return torch.ops.aten.native_layer_norm(x, [4], w, None, 1e-5)


class LargeIndices(torch.nn.Module):
    """Indices of which the low 32 bits alone would name other rows, made small only later."""

    def forward(self, x, i):
        return x[(i - 2**33) // 2**20], i * 3, x.gather(0, (i >> 20) - 2**13)


cases.exported("a buffer that isn't persistent, and a constant", Constants(), torch.randn(2, 4))
cases.exported("a buffer that is changed and returned", Counter(), torch.tensor([1.0, 2.0]), symbolic=False)
cases.exported("a buffer written in part and returned", Returned(), torch.randn(2, 3), symbolic=False)
cases.scripted("a buffer that is changed and returned", Counter(), torch.tensor([1.0, 2.0]), symbolic=False)
cases.exported("mean and rstd of a layer norm", NormResults(), torch.randn(2, 3, 4), torch.randn(4), symbolic=False)
cases.traced("mean and rstd of a layer norm", NormResults(), torch.randn(2, 3, 4), torch.randn(4), symbolic=False)
large = 2**33 + torch.tensor([0, 3, 1]) * 2**20
program("int64 indices beyond 32 bits", LargeIndices().forward, torch.randn(4), large)
cases.finish(44)
