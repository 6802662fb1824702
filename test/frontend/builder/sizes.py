# RUN: env PYTHONPATH=%S/Inputs %python %s
# REQUIRES: torch, python-torch
"""Arithmetic on sizes, as tracing records it on 0-d tensors, as scripts have it on numbers and as .pt2 has it on SymInts: what gives a size, static and
symbolic, against eager; what doesn't is refused by name."""
import math

import torch
import torch.nn.functional as F
from eager import check, clause, finish, program, refuse
from torch import nn
from torch.export import Dim

torch.manual_seed(0)
image = torch.randn(1, 2, 7, 10)


def script(name, body, *inputs, **options):
    check(name, program(body), *inputs, **{"kinds": ("pt",), **options})


def torch_int(x):
    """As transformers has it."""
    return x.to(torch.int64) if torch.jit.is_tracing() and isinstance(x, torch.Tensor) else int(x)


def same_padding(x, k, s):
    """As timm's pad_same has it."""
    if isinstance(x, torch.Tensor):
        return torch.clamp(((x / s).ceil() - 1) * s + (k - 1) + 1 - x, min=0)
    return max((math.ceil(x / s) - 1) * s + (k - 1) + 1 - x, 0)


def clamp(x, least, most):
    return torch.clamp(x, least, most) if isinstance(x, torch.Tensor) else min(max(x, least), most)


def pad_same(x, k, s):
    h, w = (same_padding(n, k, s) for n in x.shape[-2:])
    return F.pad(x, (w // 2, w - w // 2, h // 2, h - h // 2))


class PaddedConv(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 3, 3, 2)

    def forward(self, x):
        return self.conv(pad_same(x, 3, 2))


def grid(x):
    """A sequence of n * n tokens as an image, the start of DPT's neck."""
    side = torch_int(x.shape[1] ** 0.5)
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], side, side)


def rounded(x):
    h, w = x.shape[2], x.shape[3]
    a, b = torch_int(h * 0.5), torch_int(w / 3)
    return x[:, :, :a, :b], x.sum() * (h / 4) + w * 0.1, torch.zeros(torch_int((h + 1) / 2), b * 2)


def in_place(x):
    """What a trace records as mul_ and sub_ of 0-d tensors."""
    n, h = x.shape[1], x.shape[3]
    n *= x.shape[2]
    n *= 2
    h -= 1
    return torch.cat([x, x], 1).reshape(x.shape[0], n, x.shape[3]), x.new_zeros(1).expand(n), x[..., :h] * n


class BufferSizes(nn.Module):
    """As transformers' EnCodec has it: a kernel size and a stride as buffers, which tracing reads anew at every use."""

    def __init__(self):
        super().__init__()
        self.register_buffer("kernel", torch.tensor(7), persistent=False)
        self.register_buffer("stride", torch.tensor(2), persistent=False)
        self.register_buffer("total", self.kernel - self.stride, persistent=False)

    def padded(self, x):
        frames = torch.ceil((x.shape[-1] - self.kernel + self.total) / self.stride + 1).to(torch.int64) - 1
        return F.pad(x, (self.total, frames * self.stride + self.kernel - self.total - x.shape[-1]))

    def forward(self, x):
        return self.padded(self.padded(x))


clause("traced: 0-d tensors")
check("sizes changed in place", in_place, image, kinds=("trace",))
check("sizes changed in place, any size", in_place, image, kinds=("trace",), specs=["1,2,h:3..,w:3.."], more=[(torch.randn(1, 2, 8, 9),)])
check("int(size ** 0.5)", grid, torch.randn(2, 49, 3), kinds=("trace",))
check("padding for same sizes", PaddedConv(), image, kinds=("trace",))
check("floor, ceil and int of quotients", rounded, image, kinds=("trace",))
check("interpolated by computed sizes", lambda x: F.interpolate(x, size=(torch_int(x.shape[2] * 1.5), torch_int(x.shape[3] * 2)), mode="nearest"), image, kinds=("trace",))
check("sizes of integer buffers", BufferSizes(), torch.randn(2, 33), kinds=("trace",))
check("sizes of integer buffers, any size", BufferSizes(), torch.randn(2, 33), kinds=("trace",), specs=["2,n:1.."], more=[(torch.randn(2, 40),)])
check("clamped, negated, squared", lambda x: (x.reshape(clamp(x.shape[2] * 2, 1, 14), -1) * -x.shape[3], x.new_zeros(1).expand(clamp(x.shape[2], 0, 3)) * x.shape[2] ** 2), image, kinds=("trace",))
check("padding for same sizes, any size", PaddedConv(), image, kinds=("trace",), specs=["1,2,h:3..,w:3.."], more=[(torch.randn(1, 2, 8, 9),), (torch.randn(1, 2, 3, 6),)])
check("floor, ceil and int of quotients, any size", rounded, image, kinds=("trace",), specs=["1,2,h:4..,w:4.."], more=[(torch.randn(1, 2, 4, 6),), (torch.randn(1, 2, 9, 17),)])
refuse("int(size ** 0.5) of a symbolic size", grid, torch.randn(2, 49, 3), kinds=("trace",), specs=["b,n,3"], saying="is computed from sizes by pow at")
check("int(size * 0.1) of a symbolic size", lambda x: x[:, :, : torch_int(x.shape[2] * 0.1)], torch.randn(1, 2, 25, 8), kinds=("trace",), specs=["1,2,h:1..,w"], more=[(torch.randn(1, 2, 40, 3),)])
refuse("int(size * 0.1 + 0.5) of a symbolic size", lambda x: x[:, :, : torch_int(x.shape[2] * 0.1 + 0.5)], image, kinds=("trace",), specs=["1,2,h:1..,w"], saying="which isn't arithmetic on whole numbers")

clause("scripted: numbers")
numbers = """
def forward(self, x):
    n, m = x.size(0), x.size(1)
    a = x[: math.ceil(n / 3)]
    b = x[: int(m * 0.5), : int(n / 2)]
    c = torch.zeros(math.floor((n + 1) * 1.5), n * n)
    return a, b, c, x * (n / m), x * math.sqrt(n), n / 4, float(n) * 2.5, x.size(0) == 3 * 2, x + n * 0.1, torch.tensor([n / 2, 1.0])
"""
script("floats of sizes", numbers, torch.randn(5, 4))
script("floats of sizes, any size", numbers, torch.randn(5, 4), specs=["n:2..,m:2.."], more=[(torch.randn(7, 2),), (torch.randn(2, 9),)])
script("integers and floats of sizes in integer tensors", """
def forward(self, x):
    n = x.size(0)
    return x * (n / 2), x * n, x + math.sqrt(n), x // n
""", torch.arange(12).view(4, 3), specs=["n:2..,3"], more=[(torch.arange(21).view(7, 3),)])
script("sizes in lists and shapes that are compared", """
def forward(self, x, y):
    if x.shape == y.shape and x.size(0) in [x.size(0), 7]:
        return x * y, max(x.size(0), 2), min(x.size(0) // 2, 1)
    return x, 0, 0
""", torch.randn(5, 4), torch.randn(5, 4), specs=["n:2..,4", "n:2..,4"], more=[(torch.randn(9, 4), torch.randn(9, 4))])
script("division by a symbolic size that is positive", """
def forward(self, x):
    n, m = x.shape
    return x[: n // m + 1], x.sum() * (n % m)
""", torch.randn(9, 4), specs=["n:2..,m:1.."], more=[(torch.randn(4, 9),), (torch.randn(8, 2),)])

clause("exported: SymInts")


def exported(x):
    n, m = x.shape
    return x[: int(n / 3)], x[: int(m * 0.5)], torch.zeros(int((n + 1) / 2), n**2), x * (n / m), n / 4


check("floats of SymInts", exported, torch.randn(6, 4), kinds=("pt2", "decomposed"), dynamic=({0: Dim.AUTO, 1: Dim.AUTO},), more=[(torch.randn(6, 5),)])
finish()
