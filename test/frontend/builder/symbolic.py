# RUN: env PYTHONPATH=%S/Inputs %python %s
# REQUIRES: torch, python-torch
"""Symbolic dims of TorchScript programs: one compile, any size in range, each against eager; what can't be is refused with line and dims."""
import torch
import torch.nn.functional as F
from eager import check, clause, finish, program, refuse
from torch import nn

torch.manual_seed(0)
x = torch.randn(3, 4)


def script(name, module, *inputs, **options):
    check(name, program(module) if isinstance(module, str) else module, *inputs, **{"kinds": ("pt",), **options})


def trace(name, module, *inputs, **options):
    check(name, module, *inputs, **{"kinds": ("trace",), **options})


def no(name, module, *inputs, saying, **options):
    refuse(name, program(module) if isinstance(module, str) else module, *inputs, **{"kinds": ("pt",), "saying": saying, **options})


clause("any size in range")
trace("a convolutional net over batch, height and width", nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1), nn.Conv2d(8, 4, 1), nn.AdaptiveAvgPool2d(1),
      nn.Flatten(), nn.Linear(4, 5)), torch.randn(2, 3, 16, 16), specs=["n,3,h,w"], more=[(torch.randn(1, 3, 9, 33),), (torch.randn(5, 3, 7, 5),)])
trace("an encoder and decoder that joins what it skipped", lambda i: torch.cat([F.interpolate(F.avg_pool2d(i, 2), size=i.shape[-2:], mode="nearest"), i], 1), torch.randn(1, 3, 8, 8), specs=["n,3,h:2..,w:2.."],
      more=[(torch.randn(2, 3, 5, 11),)])
trace("transposed convolutions over height and width", nn.Sequential(nn.ConvTranspose2d(3, 4, 4, 2, 1), nn.ConvTranspose2d(4, 2, 3, (1, 3), (2, 1), (0, 1)), nn.ConvTranspose2d(2, 2, 2, 2)),
      torch.randn(1, 3, 4, 4), specs=["n,3,h,w"], more=[(torch.randn(2, 3, 2, 1),), (torch.randn(1, 3, 7, 2),)])
trace("grouped and dilated transposed convolutions over time", nn.Sequential(nn.ConvTranspose1d(4, 6, 5, 3, 2, 1, groups=2), nn.ConvTranspose1d(6, 2, 3, 2, 1, dilation=2), nn.ConvTranspose1d(2, 2, 2, 5, 4)),
      torch.randn(1, 4, 6), specs=["n,4,t:2.."], more=[(torch.randn(2, 4, 2),), (torch.randn(1, 4, 31),)])
trace("a kernel that is an input, of any size", lambda i, w, b: (F.conv2d(i, w, b, stride=(1, 2), padding=(0, 1), dilation=(2, 1)), F.conv2d(i, w, padding="same"), F.conv2d(i, w, groups=1)),
      torch.randn(2, 3, 9, 8), torch.randn(4, 3, 2, 3), torch.randn(4), specs=["n,c,h:7..,w:7..", "o,c,k:1..4,l:1..4", "o"],
      more=[(torch.randn(1, 5, 8, 7), torch.randn(2, 5, 4, 1), torch.randn(2))])
trace("a grouped kernel that is an input", lambda i, w: F.conv1d(i, w, groups=3), torch.randn(2, 6, 9), torch.randn(3, 2, 2), specs=["n,c,t:7..", "o,d,k:1..4"], more=[(torch.randn(1, 9, 8), torch.randn(6, 3, 4))])
trace("a transposed kernel that is an input", lambda i, w: F.conv_transpose1d(i, w, stride=3, padding=2, output_padding=1), torch.randn(2, 4, 5), torch.randn(4, 3, 4), specs=["n,c,t", "c,o,k:2..9"],
      more=[(torch.randn(1, 2, 7), torch.randn(2, 5, 9))])
trace("a transposed kernel of symbolic channels whose windows touch", lambda i, w: F.conv_transpose1d(i, w, stride=2), torch.randn(2, 4, 5), torch.randn(4, 3, 2), specs=["n,c,t", "c,o,2"],
      more=[(torch.randn(1, 2, 7), torch.randn(2, 5, 2))])
trace("antialiased resizes to a size and by factors", lambda i: (F.interpolate(i, size=(3, 5), mode="bilinear", antialias=True), F.interpolate(i, scale_factor=0.5, mode="bicubic", antialias=True),
      F.interpolate(i, scale_factor=1.5, mode="bilinear", antialias=True, align_corners=True, recompute_scale_factor=False)), torch.randn(1, 2, 8, 9), specs=["n,2,h:2..,w:2.."],
      more=[(torch.randn(2, 2, 5, 16),)])
trace("a diagonal written", lambda i, d: (torch.diagonal_scatter(i, d), torch.diagonal_scatter(i, d[1:], 1)), torch.randn(4, 4), torch.randn(4), specs=["n:2..,n", "n"], more=[(torch.randn(7, 7), torch.randn(7))])
trace("statistics, distances and losses over symbolic sizes", lambda x, t: (torch.corrcoef(x), F.pdist(x), F.cross_entropy(x, t, label_smoothing=0.2), F.cross_entropy(x, x.softmax(1), label_smoothing=0.1)),
      torch.randn(5, 4), torch.tensor([1, 0, 3, 2, 2]), specs=["n:2..,c:4..", "n"], more=[(torch.randn(9, 6), torch.randint(0, 6, (9,)))])
trace("attention over symbolic features", lambda q: F.scaled_dot_product_attention(q, q, q), torch.randn(2, 3, 8), specs=["b,t,f"], more=[(torch.randn(1, 5, 4),)])
trace("systems of a symbolic number of unknowns", lambda a, b: (torch.linalg.inv(a), torch.linalg.det(a), torch.linalg.solve(a, b), torch.linalg.cholesky(a @ a.mT), torch.linalg.matrix_power(a, 0),
      torch.linalg.solve_triangular(a.triu(), b, upper=True), torch.linalg.vander(b[..., 0])), torch.randn(2, 4, 4) * 0.1 + torch.eye(4), torch.randn(2, 4, 3), specs=["b,n,n", "b,n,3"],
      more=[(torch.randn(1, 9, 9) * 0.05 + torch.eye(9), torch.randn(1, 9, 3))])
no("a singular matrix", "def forward(self, x):\n    return torch.linalg.inv(x)", torch.randn(3, 3), specs=["n,n"], run=(torch.ones(2, 2),), saying="is singular: column 2 has no pivot other than 0")
trace("resizes by a factor", lambda i: F.interpolate(i, scale_factor=2.0, mode="bilinear", align_corners=False), torch.randn(1, 2, 4, 4), specs=["n,2,h,w"], more=[(torch.randn(2, 2, 3, 5),)])
trace("resizes by other factors", lambda i: (F.interpolate(i, scale_factor=1.7), F.interpolate(i, scale_factor=(0.6, 2.5), mode="bilinear"), F.interpolate(i, scale_factor=1.1, mode="bicubic")),
      torch.randn(1, 2, 10, 4), specs=["n,2,h:2..,w:2.."], more=[(torch.randn(2, 2, 9, 30),)])
trace("sizes times numbers in f32", lambda i: (F.interpolate(i, scale_factor=1.7, mode="bilinear", recompute_scale_factor=True), F.interpolate(i, scale_factor=0.7, mode="area")),
      torch.randn(1, 2, 10, 4), specs=["n,2,h:2..,w:2.."], more=[(torch.randn(2, 2, 20, 31),)])
script("sizes times numbers", "def forward(self, x):\n    n = x.size(0)\n    return x[:int(n * 0.6)], x.repeat(int(math.ceil(n * 1.7)), 1), x * (n * 0.7), x * -(n * 0.7) + n * 0.3 * 2",
       torch.randn(10, 3), specs=["n:2..,3"], more=[(torch.randn(15, 3),), (torch.randn(40, 3),)])
refuse("a size times a number of many bits in f32, which rounds", lambda i: i[: (torch.tensor(17.3) * i.shape[0]).floor().long() // 20], torch.randn(10, 3), kinds=("trace",), specs=["n:2..,3"],
       saying="which isn't arithmetic on whole numbers")
no("a size beyond what its product is known for", "def forward(self, x):\n    return x[:int(x.size(0) * 0.6)]", torch.randn(10), specs=["n:2.."], run=(torch.zeros(4194305),),
   saying="the model was compiled for a size times 0.6 of at most 4194304")
trace("margin losses over any number of classes", lambda i, c, m: (F.multi_margin_loss(i, c, p=2), F.multilabel_margin_loss(i, m, reduction="none")),
      torch.randn(4, 5), torch.tensor([0, 4, 1, 2]), torch.tensor([[1, 3, -1, 0, 0], [4, 0, 1, 2, 3], [-1, 1, 1, 1, 1], [2, -1, 0, 0, 0]]), specs=["n,c", "n", "n,c"],
      more=[(torch.randn(2, 3), torch.tensor([2, 0]), torch.tensor([[2, 0, -1], [1, -1, 0]]))])
no("a result whose size depends on data", "def forward(self, x):\n    return x * 2, x[x > 0]", torch.randn(3, 4), saying="the result '1' is a tensor selected by a mask, whose size depends on data")
script("attention over batch and time", """
def __init__(self):
    super().__init__()
    self.qkv = nn.Linear(8, 24)
    self.norm = nn.LayerNorm(8)

def forward(self, x):
    b, t, d = x.shape
    q, k, v = self.qkv(self.norm(x)).view(b, t, 3, 2, d // 2).permute(2, 0, 3, 1, 4).unbind(0)
    w = (q @ k.transpose(-2, -1)) / (d // 2) ** 0.5
    w = w.masked_fill(torch.ones(t, t).triu(1) > 0, float("-inf")).softmax(-1)
    return (w @ v).transpose(1, 2).reshape(b, t, d) + x
""", torch.randn(2, 5, 8), specs=["b,t,8"], more=[(torch.randn(1, 1, 8),), (torch.randn(3, 17, 8),)])
script("a recurrent layer over symbolic batch", """
def __init__(self):
    super().__init__()
    self.rnn = nn.LSTM(4, 5, batch_first=True, bidirectional=True)

def forward(self, x):
    y, (h, c) = self.rnn(x)
    return y, h, c
""", torch.randn(2, 6, 4), specs=["b,6,4"], more=[(torch.randn(1, 6, 4),), (torch.randn(7, 6, 4),)])
script("slices, selects, reversals by size", """
def forward(self, x):
    n = x.size(0)
    return x[: n - 1], x[1:], x[-1], x[n // 2], x[:, ::2], x[n // 2 :], x.flip(0), x.roll(1, 0), x[-2:]
""", torch.randn(5, 4), specs=["n:2..,4"], more=[(torch.randn(2, 4),), (torch.randn(8, 4),)])
script("reductions and norms over a symbolic dim", """
def forward(self, x):
    return x.sum(0), x.mean(), x.softmax(0), x.cumsum(0), x.amax(0), x.argmax(0), x.var(0), x.std(), x.norm(2, 0), x.logsumexp(0), x.max(0)[0], x.prod(0)
""", torch.randn(5, 4), specs=["n:2..,4"], more=[(torch.randn(2, 4),), (torch.randn(33, 4),)])
script("reshapes, joins, padding", """
def forward(self, x):
    n, m = x.shape
    return x.view(-1), x.reshape(n * 2, 2), x.t().contiguous().view(n, m), torch.cat([x, x], 1), torch.stack([x, x]), F.pad(x, (1, 2)), x.repeat(2, 3), x.unsqueeze(0).expand(3, n, m), x.flatten()
""", x, specs=["n,4"], more=[(torch.randn(7, 4),), (torch.randn(1, 4),)])
script("sizes as numbers and in factories", """
def forward(self, x):
    n = x.size(0)
    return x * n, x / n, torch.zeros(n, n), torch.arange(n), torch.ones(n + 1, dtype=torch.int64), torch.full((n, 2), 0.5), torch.eye(4), n, x + torch.arange(n)[:, None], n * 2 - 1, torch.linspace(0, 1, 4)
""", x, specs=["n,4"], more=[(torch.randn(6, 4),)])
script("writes of symbolic sizes", """
def forward(self, x):
    a = x.clone()
    a[1:] += 3
    a[:, 0] = 5.0
    a.t()[1].zero_()
    a[-1].fill_(2)
    return a, a.view(-1)[2:]
""", torch.randn(5, 4), specs=["n:2..,4"], more=[(torch.randn(2, 4),), (torch.randn(9, 4),)])
script("gathers", """
def forward(self, x, i):
    return F.embedding(i, x), x[i], x.index_select(0, i), torch.gather(x, 0, i[:, None].expand(i.size(0), 4))
""", x, torch.tensor([2, 0]), specs=["n,4", "k"], more=[(torch.randn(6, 4), torch.tensor([5, 1, 1, 0, 3]))])
script("matrix products", """
def forward(self, a, b):
    return a @ b, a @ a.t(), torch.bmm(a[None], b[None]), torch.einsum("ij,jk->ki", a, b), F.linear(a, b.t()), a.mv(b[:, 0])
""", torch.randn(3, 5), torch.randn(5, 4), specs=["m,k", "k,n"], more=[(torch.randn(1, 7), torch.randn(7, 2)), (torch.randn(9, 1), torch.randn(1, 1))])
script("chunks of a symbolic size", """
def forward(self, x):
    a, b = x.chunk(2, 0)
    c, d = x.split([1, x.size(0) - 1])
    return a, b, c, d
""", torch.randn(6, 4), specs=["n:2..,4"], more=[(torch.randn(7, 4),), (torch.randn(2, 4),)])
script("pieces of a symbolic size, as many as are unpacked", """
def forward(self, x, y):
    a, b, c = x.split(3)
    d, e = x.tensor_split(2)
    f, g, h = x.tensor_split([1, -2])
    i, j = y.unbind(1)
    return a, b, c, d, e, f, g, h, i, j
""", torch.randn(8, 4), torch.randn(3, 2), specs=["n,4", "m,k"], more=[(torch.randn(7, 4), torch.randn(1, 2)), (torch.randn(9, 4), torch.randn(4, 2))])
script("sizes that an operator makes equal, halves or counts", """
def forward(self, x, d, e, q):
    z = F.instance_norm(x, weight=x[0, :, 0], bias=x[0, :, 1])
    return F.glu(x, 1), torch.diagonal_scatter(e, d), z, torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, q, q)[1]
""", torch.randn(2, 4, 5), torch.randn(4), torch.randn(4, 4), torch.randn(1, 2, 3, 8), specs=["a,b:2..,5", "m", "4,4", "1,2,n,f"],
       more=[(torch.randn(3, 2, 5), torch.randn(4), torch.randn(4, 4), torch.randn(1, 2, 1, 16))])
script("a cross product along a symbolic size, which is 3", "def forward(self, x):\n    return torch.linalg.cross(x, x.flip(0), dim=1)", torch.randn(2, 3), specs=["n,m"], more=[(torch.randn(5, 3),)])
script("one size for two inputs by name and by use", """
def forward(self, a, b, c):
    return a + b, torch.cat([a, c], 1)
""", x, x, torch.randn(3, 2), specs=["n,4", "m,4", "k,2"], more=[(torch.randn(5, 4), torch.randn(5, 4), torch.randn(5, 2))])
script("a branch that the range decides", """
def forward(self, x):
    if x.size(0) > 1:
        return x * 2
    return x
""", x, specs=["n:2..,4"], more=[(torch.randn(9, 4),)])
script("an empty batch", """
def forward(self, x):
    return x * 2, x.sum(), x @ x.t()
""", x, specs=["n:0..,4"], more=[(torch.randn(0, 4),), (torch.randn(2, 4),)])

clause("refused with the line and the dims")
no("a branch that the range leaves open", """
def forward(self, x):
    if x.size(0) > 4:
        return x * 2
    return x
""", x, specs=["n,4"], saying="can't decide whether n gt 4 holds")
no("a loop over a symbolic size", """
def forward(self, x):
    y = x[0]
    for i in range(x.size(0)):
        y = y + x[i]
    return y
""", x, specs=["n,4"], saying="a loop over the symbolic size n")
no("a split of a symbolic size into pieces", """
def forward(self, x):
    return x.split(2)
""", x, specs=["n,4"], saying="a split of a symbolic size n")
no("a size of another number of pieces", """
def forward(self, x):
    a, b = x.split(3)
    return a
""", x, specs=["n,4"], run=(torch.randn(7, 4),), saying="the model was compiled for sizes of which split gives 2 pieces")
no("sizes that can't be equal", """
def forward(self, a, b):
    return a + b
""", x, x, specs=["n,4", "n,5"], saying="")
no("an outcome that was assumed: equal sizes", """
def forward(self, x):
    if x.size(0) == 4:
        return x * 2
    return x
""", x, specs=["n,4"], run=(torch.randn(4, 4),), saying="4")
no("a size below the range", "def forward(self, x):\n    return x[1]", x, specs=["n:2..8,4"], run=(torch.randn(1, 4),), saying="n")
no("a size above the range", "def forward(self, x):\n    return x[1]", x, specs=["n:2..8,4"], run=(torch.randn(9, 4),), saying="n")
no("an index beyond a symbolic size", "def forward(self, x):\n    return x[3]", x, specs=["n,4"], run=(torch.randn(2, 4),), saying="3")
no("two dims that must agree and don't", "def forward(self, a, b):\n    return a + b", x, x, specs=["n,4", "m,4"], run=(torch.randn(5, 4), torch.randn(6, 4)), saying="")
finish()
