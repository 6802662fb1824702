# RUN: env PYTHONPATH=%S/Inputs %python %s
# REQUIRES: torch, python-torch
"""Exported programs (.pt2): dialects, constants, modes, nested inputs and outputs, symbolic dims, each against eager."""
import collections

import torch
import torch.nn.functional as F
from eager import check, clause, finish, program, refuse
from torch import nn
from torch.export import Dim

torch.manual_seed(0)
x, y = torch.randn(3, 4), torch.randn(3, 4)
image = torch.randn(2, 3, 8, 8)
both = ("pt2", "decomposed")


def pt2(name, module, *inputs, **options):
    check(name, program(module) if isinstance(module, str) else module, *inputs, **{"kinds": both, **options})


def no(name, module, *inputs, saying, **options):
    refuse(name, program(module) if isinstance(module, str) else module, *inputs, **{"kinds": ("pt2",), "saying": saying, **options})


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4)
        self.head = nn.Sequential(nn.Linear(4, 6), nn.LayerNorm(6), nn.GELU(), nn.Dropout(0.1), nn.Linear(6, 2))

    def forward(self, x):
        y = F.relu(self.norm(self.conv(x)), inplace=True)
        return self.head(F.adaptive_avg_pool2d(y, 1).flatten(1)).softmax(-1)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(8, 24), nn.Linear(8, 8)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        mask = torch.ones(t, t, dtype=torch.bool, device=x.device).tril()
        return self.out(F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).reshape(b, t, d))


clause("training and decomposed dialects")
pt2("convolution, batch norm, head", Net(), image)
pt2("attention", Attention(), torch.randn(2, 5, 8))
pt2("lstm and gru", nn.LSTM(4, 5, 2, batch_first=True), torch.randn(2, 6, 4), kinds=("pt2",))
pt2("views and writes", """
def forward(self, x):
    a = x.clone()
    a[1:, ::2] += 3
    a.t()[0].mul_(2)
    v = a.view(-1)
    v[5] = 7.0
    return a, v, a.split([1, 3], 1)
""", x)
pt2("group norm, pools, resize", lambda i: (F.group_norm(i, 3), F.max_pool2d(i, 2), F.avg_pool2d(i, 3, 2, 1), F.interpolate(i, scale_factor=2, mode="bilinear")), image)
pt2("embedding, index, gather, cumsum, topk", lambda e, i: (F.embedding(i, e), e[i], torch.gather(e, 1, i[:, None]), e.cumsum(1), *e.topk(2)), x, torch.tensor([2, 0, 1]), interpreted=False)
pt2("a state counted in a buffer", """
def __init__(self):
    super().__init__()
    self.register_buffer("n", torch.zeros(1))
    self.register_buffer("h", torch.zeros(4))

def forward(self, x):
    self.n += 1
    self.h.copy_(torch.tanh(self.h + x.sum(0)))
    return x / self.n + self.h
""", x, runs=3)
pt2("inputs changed in place", """
def forward(self, x, y):
    x.add_(1)
    y[0] = 2.0
    return x * y, y
""", x, y)

clause("constants, buffers, aliases")
pt2("lifted constants and buffers that don't persist", """
def __init__(self):
    super().__init__()
    self.register_buffer("scratch", torch.arange(4.0), persistent=False)
    self.plain = torch.ones(3, 1) * 2

def forward(self, x):
    return x * self.plain + self.scratch + torch.tensor([1.0, 2.0, 3.0, 4.0]) + torch.tensor(5)
""", x)
pt2("tied weights", """
def __init__(self):
    super().__init__()
    self.a = nn.Linear(4, 4, bias=False)
    self.b = nn.Linear(4, 4, bias=False)
    self.b.weight = self.a.weight

def forward(self, x):
    return self.b(self.a(x))
""", x)
pt2("storages that several tensors share", """
def __init__(self):
    super().__init__()
    whole = torch.arange(12.0)
    self.register_buffer("a", whole[:4])
    self.register_buffer("b", whole[4:].view(2, 4).t())
    self.register_buffer("c", whole.view(3, 4))

def forward(self, x):
    return x + self.a + self.b[:, 1] + self.c
""", x)
no("a write to one of two views of a storage", """
def __init__(self):
    super().__init__()
    whole = torch.arange(12.0)
    self.register_buffer("a", whole[:4])
    self.register_buffer("c", whole.view(3, 4))

def forward(self, x):
    self.a.add_(1)
    return x + self.c
""", x, saying="which shares its memory with attribute 'c'")
pt2("parameters of other dtypes, scalars, empty tensors", """
def __init__(self):
    super().__init__()
    self.h = nn.Parameter(torch.ones(4).half(), requires_grad=False)
    self.register_buffer("s", torch.tensor(2.5))
    self.register_buffer("n", torch.tensor(3))
    self.register_buffer("e", torch.zeros(0, 4))

def forward(self, x):
    return torch.cat([x, self.e]) * self.h.float() * self.s + self.n
""", x)

clause("modes and regions")
pt2("no_grad, enable_grad, inference mode off", """
def forward(self, x):
    with torch.no_grad():
        y = x * 2
        with torch.enable_grad():
            y = y + 1
    return y - x
""", x)
pt2("autocast to bf16: linear, matmul, convolution, cat, norms", """
def __init__(self):
    super().__init__()
    self.l, self.n, self.c = nn.Linear(4, 4), nn.LayerNorm(4), nn.Conv1d(3, 3, 1)

def forward(self, x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = self.n(self.l(x).float()) @ x.t()
        z = torch.cat([y, x[:, :3]], 1).softmax(-1)
        with torch.autocast("cpu", enabled=False):
            z = z.float()[:, :3] @ x
        with torch.no_grad():
            w = self.c(x[None]).relu()
        z = z + F.mse_loss(y, y * 2)
    return z.bfloat16(), y, (y.float() + 1).bfloat16(), w, x @ x.t()
""", x)
pt2("autocast to f16, and for another device", """
def forward(self, x):
    with torch.autocast("cpu", dtype=torch.float16):
        y = F.linear(x, x) + 1
    with torch.autocast("cuda"):
        z = x @ x.t()
    return y, z
""", x)
no("what autocast does inside of an lstm", """
def __init__(self):
    super().__init__()
    self.rnn = nn.LSTM(4, 5)

def forward(self, x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return self.rnn(x)[0]
""", x, saying="aten.lstm.input")
pt2("autocast that is off", """
def forward(self, x):
    with torch.autocast("cpu", enabled=False):
        y = x @ x.t()
    return y + 1
""", x)


class TrainingNorm(nn.BatchNorm1d):
    def eval(self):
        return self


check("batch norm in training mode: mean and variance change without a node", TrainingNorm(4), x, kinds=both, runs=3)
no("dropout in training mode", lambda x: F.dropout(x, 0.5, True), x, saying="random numbers")
no("cond", lambda x: torch.cond(x.sum() > 0, lambda v: v + 1, lambda v: v - 1, (x,)), x, saying="cond")
no("while_loop", lambda x: torch._higher_order_ops.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 2), (torch.tensor(0), x)), x, saying="while_loop")
no("scan", lambda x: torch._higher_order_ops.scan(lambda c, v: (c + v, c * v), torch.zeros(4), x), x, saying="scan")
no("nonzero", lambda x: torch.nonzero(x), x, saying="depends on data")
pt2("item() in arithmetic", lambda x: x * x.sum().item() + 1, x, kinds=("pt2",))

clause("nested inputs and outputs")
Point = collections.namedtuple("Point", ["a", "b"])
torch.utils._pytree._register_namedtuple(Point, serialized_type_name="test.Point") if hasattr(torch.utils._pytree, "_register_namedtuple") else None
pt2("dicts, lists, tuples and None", lambda d, l, n: {"z": d["p"] + l[0], "a": [l[1] * 2, (d["q"], None)]}, {"p": x, "q": y}, [x, y], None, kinds=("pt2",))
pt2("a named tuple in and out", lambda p: Point(p.a + p.b, {"k": p.a}), Point(x, y), kinds=("pt2",))
pt2("numbers, strings and bools built in", lambda x, n, s, b: x * n + (1 if s == "up" else 2) if b else x, x, 3, "up", True, kinds=("pt2",), more=())
pt2("the same input twice, outputs that are inputs", lambda x, y: (x, y, x, x + y), x, y)

clause("symbolic dims")
B, T = Dim("B", min=1, max=64), Dim("T", min=2, max=32)
more = [(torch.randn(1, 3, 8, 8),), (torch.randn(7, 3, 8, 8),)]
pt2("any batch", Net(), image, dynamic=({0: B},), more=more)
pt2("batch and time", Attention(), torch.randn(2, 5, 8), dynamic=({0: B, 1: T},), more=[(torch.randn(1, 9, 8),), (torch.randn(3, 2, 8),), (torch.randn(4, 32, 8),)])
pt2("sizes in arithmetic, reshapes, factories", """
def forward(self, x):
    b, t = x.shape
    y = x.reshape(b * t // 2, 2) if False else x.reshape(-1)
    return y * (b + 2 * t), torch.zeros(b, t + 1) + x.mean(), torch.arange(t) * b, x[:, 1:], x[: b - 1], x.sum() / (b * t), torch.full((t,), 2.0)
""", torch.randn(4, 6), dynamic=({0: Dim("B", min=3), 1: Dim("T", min=3)},), more=[(torch.randn(3, 4),), (torch.randn(5, 9),)])
pt2("derived dims", lambda a, b: a + b[1:], torch.randn(5, 4), torch.randn(6, 4), dynamic=({0: Dim("n", min=2)}, {0: Dim("n", min=2) + 1}), more=[(torch.randn(9, 4), torch.randn(10, 4))])
pt2("even sizes only", lambda a: a.view(-1, 2, 4).sum(1), torch.randn(6, 4), dynamic=({0: 2 * Dim("half", min=1)},), more=[(torch.randn(10, 4),)])
pt2("automatic dims", lambda a, b: (a @ b, a.shape[0] * b.shape[1]), torch.randn(5, 4), torch.randn(4, 6), dynamic=({0: Dim.AUTO}, {1: Dim.AUTO}), more=[(torch.randn(2, 4), torch.randn(4, 9))])
pt2("sizes that are equal or 1", lambda x, w, b: F.linear(x, w, b), torch.randn(3, 4), torch.randn(5, 4), torch.randn(5), dynamic=({0: Dim.DYNAMIC}, {0: Dim.DYNAMIC}, {0: Dim.DYNAMIC}),
    more=[(torch.randn(2, 4), torch.randn(7, 4), torch.randn(7))])
pt2("chunk, split and unbind of symbolic sizes", lambda a: (*a.chunk(2, 1), *a.split(2, 2), *a.unbind(2)), torch.randn(3, 6, 4), dynamic=({0: Dim("n"), 1: 2 * Dim("m", min=1)},),
    more=[(torch.randn(2, 10, 4),)])
pt2("dims that must be equal", lambda a, b: a * b + a.sum(0), torch.randn(5, 4), torch.randn(5, 4), dynamic=({0: B}, {0: B}), more=[(torch.randn(2, 4), torch.randn(2, 4))])
pt2("padding, concatenation, repetition", lambda a: (F.pad(a, (0, 0, 1, 2)), torch.cat([a, a[:1]]), a.repeat(2, 1), a.flip(0), torch.stack([a, a])), torch.randn(5, 4), dynamic=({0: B},), more=[(torch.randn(2, 4),)])
pt2("convolutions over symbolic space", nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1), nn.ReLU(), nn.MaxPool2d(2)), image, kinds=("pt2",),
    dynamic={"input": {2: 4 * Dim("h", min=1), 3: 4 * Dim("w", min=2)}}, more=[(torch.randn(2, 3, 12, 16),), (torch.randn(2, 3, 16, 8),)])
free = {0: Dim.DYNAMIC, 1: Dim.DYNAMIC}
pt2("sizes that only the data's use relates", lambda a, i, v, m, k: (a.index_put((i,), v), a.index_add(0, i, v), a.index_copy(0, i, v), a.index_reduce(0, i, v, "amax"), a.masked_fill(m[:, None], 0),
    a.index_put((m,), k), a.index_put((i,), k, accumulate=True)), torch.randn(6, 4), torch.tensor([4, 0, 3]), torch.randn(3, 4), torch.tensor([True, False, True, True, False, True]), torch.randn(4),
    dynamic=(free, {0: Dim.DYNAMIC}, free, {0: Dim.DYNAMIC}, {0: Dim.DYNAMIC}), kinds=("pt2",),
    more=[(torch.randn(5, 3), torch.tensor([4, 0]), torch.randn(2, 3), torch.tensor([True, False, True, True, False]), torch.randn(3))])
pt2("resizes by factors that are no fractions", lambda i: (F.interpolate(i, scale_factor=1.7, mode="bilinear"), F.interpolate(i, scale_factor=0.6, mode="area")), image, dynamic=({2: Dim.DYNAMIC, 3: Dim.DYNAMIC},),
    kinds=("pt2",), more=[(torch.randn(2, 3, 15, 31),)])
clause("ints that are sizes, pieces of symbolic sizes")
ints = lambda x, n: (x[:n], torch.zeros(n, 2), x * n, x + n // 2)
pt2("an int that is a size, bound", ints, torch.randn(6, 4), 3, dynamic=(None, Dim.DYNAMIC), flags=["--bind", "inputs_1=3"])
pt2("an int that is the size of an input", lambda x, n: x.reshape(n, -1) + torch.zeros(n, 1) * n, torch.randn(6, 4), 6, dynamic=({0: Dim.DYNAMIC}, Dim.DYNAMIC), more=[(torch.randn(3, 4), 3)])
no("an int that is a size", ints, torch.randn(6, 4), 3, dynamic=(None, Dim.DYNAMIC), saying="the value of argument 'inputs_1' (int) is needed: --bind inputs_1=VALUE")
no("an int bound outside its guards", ints, torch.randn(6, 4), 3, dynamic=(None, Dim.DYNAMIC), flags=["--bind", "inputs_1=7"], saying="which these sizes don't fulfil")
pieces = lambda x: torch.cat([p * (i + 1) for i, p in enumerate(x.split(3))])
pt2("split into as many pieces as the file takes", pieces, torch.randn(8, 4), dynamic=({0: Dim.AUTO},), more=[(torch.randn(9, 4),)])
no("a size that gives another number of pieces", pieces, torch.randn(8, 4), dynamic=({0: Dim.AUTO},), run=(torch.randn(10, 4),), saying="these inputs don't fit: the model needs s")
no("a size for which the program took another branch", lambda x: x * 2 if x.shape[0] > 5 else x, torch.randn(6, 4), dynamic=({0: Dim.AUTO},), run=(torch.randn(4, 4),), saying="has size 4 in dim 0, expected s")

clause("refused sizes")
no("a dim outside its range", lambda a: a + 1, torch.randn(5, 4), dynamic=({0: Dim("B", min=2, max=8)},), run=(torch.randn(9, 4),), saying="between 2 and 8")
no("two dims that must agree and don't", lambda a, b: a + b, torch.randn(5, 4), torch.randn(5, 4), dynamic=({0: B}, {0: B}), run=(torch.randn(5, 4), torch.randn(6, 4)), saying="has size 6 in dim 0")
no("a dim that must be even and isn't", lambda a: a.view(-1, 2, 4).sum(1), torch.randn(6, 4), dynamic=({0: 2 * Dim("half", min=1)},), run=(torch.randn(7, 4),), saying="")
finish()
