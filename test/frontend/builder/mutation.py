# RUN: env PYTHONPATH=%S/Inputs %python %s
# REQUIRES: torch, python-torch
"""In-place writes and aliases: every program scripted (or traced) and exported, against eager."""
import linecache
import textwrap
import types

import torch
from eager import check, finish


def program(function):
    """A module whose forward is `function`, given as source so that it can be scripted."""
    source = "import torch\nfrom torch import nn, Tensor\nfrom typing import *\nclass M(nn.Module):\n" + textwrap.indent(textwrap.dedent(function), "    ")
    name = f"<program {program.count}>"
    program.count += 1
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    module = types.ModuleType("m")
    exec(compile(source, name, "exec"), module.__dict__)
    module.M.__module__ = "__main__"
    return module.M()


program.count = 0
x, y = torch.randn(3, 4), torch.randn(3, 4)
torch.manual_seed(0)

check("add_ on a fresh tensor", program("""
def forward(self, x):
    a = x + 1
    b = a
    a.add_(2)
    return a, b
"""), x)
check("write through select", program("""
def forward(self, x):
    a = x * 1
    a[1].add_(10)
    return a
"""), x)
check("slice assignment", program("""
def forward(self, x, y):
    a = x.clone()
    a[:, 1:3] = y[:, :2]
    return a
"""), x, y)
check("strided slice assignment", program("""
def forward(self, x):
    a = x.clone()
    a[::2, ::3] = 5.0
    return a
"""), x)
check("base written, view read", program("""
def forward(self, x):
    a = x * 2
    v = a[0]
    a.mul_(3)
    return v, a
"""), x)
check("view of a view", program("""
def forward(self, x):
    a = x * 2
    v = a.t()[1:3]
    v[0].fill_(7)
    return a, v
"""), x)
check("two views that overlap", program("""
def forward(self, x):
    a = x.clone()
    p = a[:, 0:3]
    q = a[:, 1:4]
    p.add_(1)
    q.mul_(2)
    return a, p, q
"""), x)
check("reshape that views", program("""
def forward(self, x):
    a = x.clone()
    a.reshape(12)[5] = 9.0
    return a
"""), x)
check("reshape that copies", program("""
def forward(self, x):
    a = x.clone()
    b = a.t().reshape(12)
    b[5] = 9.0
    return a, b
"""), x)
check("view then unsqueeze then write", program("""
def forward(self, x):
    a = x.clone()
    a.view(2, 6).unsqueeze(0)[0, 1, 2:4] = -1.0
    return a
"""), x)
check("expand, write one row", program("""
def forward(self, x):
    a = x[0:1].clone()
    e = a.expand(3, 4)
    e[2].copy_(x[1])
    return a, e
"""), x)
check("copy then source changes", program("""
def forward(self, x):
    src = x + 0
    dst = torch.zeros(3, 4)
    dst[:] = src
    src += 1
    return dst, src
"""), x)
check("int32 view times 2, then written", program("""
def forward(self, x):
    a = x.clone()
    b = a.view(-1) * 2
    a[0, 0] = 100
    return a, b
"""), torch.arange(6, dtype=torch.int32).view(2, 3))
check("rotation with an in-place add", program("""
def forward(self, x):
    a = x * 0
    b = x * 0
    c = x * 0
    for i in range(3):
        a, b, c = b, c, a
        a += 1
    return a, b, c
"""), x)
check("fill_ on select in a loop", program("""
def forward(self, x):
    a = x.clone()
    i = 0
    while i < 3:
        a.select(0, i).fill_(i)
        i += 1
    return a
"""), x)
check("chunks written", program("""
def forward(self, x):
    a = x.clone()
    p, q = a.chunk(2, 1)
    p.copy_(q)
    q.zero_()
    return a
"""), x)
check("split pieces written", program("""
def forward(self, x):
    a = x.clone()
    parts = a.split([1, 3], 1)
    parts[1].relu_()
    return a, parts[0]
"""), x)
check("unbind written", program("""
def forward(self, x):
    a = x.clone()
    rows = a.unbind(0)
    rows[2].sub_(rows[0])
    return a
"""), x)
check("masked_fill_", program("""
def forward(self, x):
    a = x.clone()
    a.masked_fill_(a > 0, -1.0)
    return a
"""), x)
check("mask assignment", program("""
def forward(self, x):
    a = x.clone()
    a[a < 0] = 0.5
    return a
"""), x)
check("index_put_ accumulates duplicates", program("""
def forward(self, x, i):
    a = x.clone()
    a.index_put_([i], torch.ones(4, 4), accumulate=True)
    return a
"""), x, torch.tensor([0, 2, 0, 1]), interpreted=False)
check("index assignment", program("""
def forward(self, x, i):
    a = x.clone()
    a[i] = 3.0
    a[:, i] += 1
    return a
"""), x, torch.tensor([2, 0]), interpreted=False)
check("scatter_", program("""
def forward(self, x, i):
    a = x.clone()
    a.scatter_(1, i, 2.0)
    return a
"""), x, torch.tensor([[0, 3], [1, 1], [2, 0]]), interpreted=False)
check("contiguous ends an alias", program("""
def forward(self, x):
    a = x.clone()
    b = a.t().contiguous()
    c = a.contiguous()
    b.add_(1)
    c.add_(10)
    return a, b, c
"""), x)
check("detach and data keep an alias", program("""
def forward(self, x):
    a = x.clone()
    d = a.detach()
    d.mul_(2)
    return a
"""), x)
check("clone ends an alias", program("""
def forward(self, x):
    a = x.clone()
    b = a[1].clone()
    a.add_(1)
    return a, b
"""), x)
check("to of the same dtype keeps an alias", program("""
def forward(self, x):
    a = x.clone()
    b = a.to(torch.float32)
    c = a.to(torch.float64)
    b.add_(1)
    return a, b, c
"""), x)
check("the same tensor returned twice", program("""
def forward(self, x):
    a = x * 2
    return a, a, a[0]
"""), x)
check("in place on an input that is returned", program("""
def forward(self, x):
    x.add_(1)
    return x, x * 2
"""), x)
check("an input returned as it is", program("""
def forward(self, x):
    return x, x[0]
"""), x)
check("diagonal written", program("""
def forward(self, x):
    a = x.clone()
    a.diagonal().zero_()
    return a
"""), torch.randn(4, 4))
check("as_strided written", program("""
def forward(self, x):
    a = x.clone()
    b = torch.as_strided(a, [2, 3], [4, 1], 1)
    b.fill_(8)
    return a, b
"""), x)
check("in-place keeps the dtype", program("""
def forward(self, x):
    a = x.clone()
    a += 1
    a.mul_(3)
    return a
"""), torch.arange(4, dtype=torch.int16))
check("list of views changed later", program("""
def forward(self, x):
    a = x.clone()
    rows = [a[0], a[1]]
    a[0] = 1.0
    rows.append(a[2])
    return torch.stack(rows)
"""), x)
check("transpose written in place", program("""
def forward(self, x):
    a = x.clone()
    a.transpose(0, 1).cumsum_(0)
    return a
"""), x)
check("squeeze of a written tensor", program("""
def forward(self, x):
    a = x.clone().unsqueeze(1)
    b = a.squeeze(1)
    a[0, 0, 0] = 42.0
    return b
"""), x)
check("buffer counted in place", program("""
def __init__(self):
    super().__init__()
    self.register_buffer("count", torch.zeros(2))

def forward(self, x):
    self.count.add_(1)
    self.count[0] += x.sum()
    return x + self.count[1], self.count.clone()
"""), x, runs=3)
check("attribute assigned", program("""
state: torch.Tensor

def __init__(self):
    super().__init__()
    self.state = torch.zeros(0)

def forward(self, x):
    if self.state.shape[0] == 0:
        self.state = torch.zeros(x.shape)
    self.state = self.state * 0.5 + x
    return self.state
"""), x, runs=3, kinds=("pt",))
check("integer counter", program("""
n: int

def __init__(self):
    super().__init__()
    self.n = 0

def forward(self, x):
    self.n += 1
    return x * self.n
"""), x, runs=7, kinds=("pt",))
check("toggle", program("""
flag: bool

def __init__(self):
    super().__init__()
    self.flag = False

def forward(self, x):
    self.flag = not self.flag
    if self.flag:
        return x + 1
    return x - 1
"""), x, runs=4, kinds=("pt",))
finish()
