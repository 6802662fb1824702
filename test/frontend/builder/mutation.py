# RUN: env PYTHONPATH=%S/Inputs %python %s
# REQUIRES: torch, python-torch
"""In-place writes and aliases: every program scripted (or traced) and exported, against eager."""
import torch
from eager import check, clause, finish, program, refuse

torch.manual_seed(0)
x, y = torch.randn(3, 4), torch.randn(3, 4)
clause("views and writes")

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

clause("chains of views")
check("slices of slices of a permutation", program("""
def forward(self, x):
    a = x.clone()
    v = a.permute(2, 0, 1)[1:3, :, ::2][1]
    v += 5
    w = a.flatten(1).unflatten(1, (2, 6))
    w[:, 0, 2:4] *= -1
    return a, v, w
"""), torch.randn(2, 3, 4))
check("movedim, narrow, T, swapaxes written", program("""
def forward(self, x):
    a = x.clone()
    a.movedim(0, 2).narrow(0, 1, 2).mul_(3)
    b = a[0].T
    b[0] = 1.0
    a.swapaxes(1, 2)[1, 2].zero_()
    return a, b
"""), torch.randn(2, 3, 4))
check("unfold, diagonal, select written", program("""
def forward(self, x):
    a = x.clone()
    a.unfold(1, 2, 2).select(2, 1).fill_(2)
    a.diagonal(1).add_(3)
    torch.diagonal(a, 0, 0, 1)[1:].neg_()
    return a
"""), torch.randn(4, 6))
check("hsplit, tensor_split, chunk pieces written", program("""
def forward(self, x):
    a = x.clone()
    p = torch.tensor_split(a, 3, 1)
    p[2].copy_(p[0])
    q = torch.hsplit(a, 2)
    q[1][:, 0] = 7.0
    return a, p[1]
"""), torch.randn(4, 6))
check("views of a channels_last tensor", program("""
def forward(self, x):
    a = x.contiguous(memory_format=torch.channels_last)
    b = a.permute(0, 2, 3, 1)
    b.view(2, -1, 3)[:, 1] = 4.0
    c = a.flatten(2)
    c.zero_()
    return a, b
"""), torch.randn(2, 3, 4, 5))
check("expand, squeeze, view_as, reshape_as", program("""
def forward(self, x, y):
    a = x.clone()
    e = a.unsqueeze(0).expand(2, 3, 4)
    a[0, 0] = 9.0
    v = a.view_as(y)
    v[0] += e[1, 2, 3]
    r = a.t().reshape_as(y)
    r.zero_()
    return a, e, v, r
"""), x, torch.randn(12))
check("a view kept in a list, a dict and a tuple", program("""
def forward(self, x):
    a = x.clone()
    l = [a[0], a]
    d = {"v": a[:, 1]}
    t = (a[1], l[0])
    l[1].mul_(2)
    d["v"].add_(1)
    t[1].sub_(5)
    return l[0], d["v"], t[0], a
"""), x)
check("views passed to functions and written there", program("""
def change(self, v: Tensor, k: int) -> Tensor:
    v.add_(k)
    return v[0]

def forward(self, x):
    a = x.clone()
    r = self.change(a[1:], 2)
    self.change(r.unsqueeze(0), 3)
    return a, r
"""), x)
check("written under a branch and in a loop", program("""
def forward(self, x):
    a = x.clone()
    v = a[1]
    if x.size(0) == 3:
        v += 1
    for i in range(3):
        a[i, i].mul_(i)
        a[:, i] = a[:, i + 1]
    return a, v
"""), x)
check("0-d, one-element and empty tensors written", program("""
def forward(self, x):
    a = x.clone()
    a[0, 0].fill_(3)
    s = a.sum()
    s += 1
    a[2:2].fill_(5)
    a[:, 4:] = 1.0
    e = a[0:1, 0:1]
    e.squeeze().neg_()
    return a, s
"""), x)

clause("slice and index writes")
i, j = torch.tensor([2, 0, 2]), torch.tensor([1, 3, 1])
check("index_put_ without accumulate, duplicates with one value", program("""
def forward(self, x, i, j):
    a = x.clone()
    a[i, j] = 5.0
    a.index_put_([i], torch.full((3, 4), 2.0))
    a[:, j] += 1
    return a
"""), x, i, j, interpreted=False)
check("index_put_ with accumulate", program("""
def forward(self, x, i, j):
    a = x.clone()
    a.index_put_((i, j), x[0, :3], accumulate=True)
    a[1:].index_put_([torch.clamp(i, max=1)], x, accumulate=True)
    return a, torch.index_put(x, [i], x[0], True)
"""), x, i, j, interpreted=False)
check("index writes of other forms", program("""
def forward(self, x, i):
    a = x.clone()
    a[i[1:]] = x[:2]
    a[1, i] = 8.0
    a[i[0:1], :] = x[0]
    a[0, 1:3] = x[1, :2]
    return a
"""), x, i, interpreted=False)
check("mask writes", program("""
def forward(self, x, y):
    a = x.clone()
    a[a > 0.5] = 0.5
    a[y < 0] += 10
    a[(y > 0) & (x > 0)] *= 2
    a[1][y[1] > 0] = 3.0
    b = torch.where(a > 1, y, a)
    b.masked_fill_(y > 1, float("-inf"))
    return a, b
"""), x, y)
check("scatter, index_add, index_copy, index_fill", program("""
def forward(self, x, i, j):
    a = x.clone()
    a.scatter_(1, j.view(3, 1), 2.0)
    a.scatter_(0, torch.stack([i, j.clamp(max=2)]), x)
    a.scatter_add_(1, j.view(3, 1).expand(3, 2), x)
    a.index_add_(0, i, x, alpha=2)
    a.index_fill_(1, j[1:], -2.0)
    b = x.clone()
    b.index_copy_(0, i[1:], x[:2])
    return a, b, x.scatter_reduce(0, i.view(3, 1).expand(3, 4), x, "amax")
"""), x, i, j, interpreted=False)
check("writes that broadcast and cast", program("""
def forward(self, x):
    a = x.clone()
    a[:] = 1
    a[0] = torch.arange(4)
    a[1:, :] = a[0:1] * 2
    n = torch.zeros(2, 3, dtype=torch.int64)
    n[0] = x[0, :3]
    n += True
    n.copy_(x[:2, 1:])
    h = x.half()
    h += x
    return a, n, h
"""), x)
check("operators of many kinds in place", program("""
def forward(self, x, y):
    a = x.clone()
    a.relu_().add_(y, alpha=2).mul_(0.5).clamp_(-1, 2).sigmoid_().sub_(1).abs_().sqrt_().tanh_()
    b = y.clone()
    b.addcmul_(x, y, value=2.0).div_(3).pow_(2).lerp_(x, 0.25).neg_().exp_().floor_().fmod_(3)
    c = x.abs()
    c.cumsum_(1).addmm_(x, x.t() @ x).tril_().masked_fill_(c < 1, 0)
    d = x > 0
    d.logical_not_().bitwise_or_(y > 0)
    return a, b, c, d
"""), x, y)
check("the in-place operators of Python", program("""
def forward(self, x, y):
    a = x.clone()
    b = a
    a += y
    a -= 1
    a *= y
    a /= 2
    c = a
    c = c + 1
    return a, b, c
"""), x, y)
check("shapes changed in place", program("""
def forward(self, x):
    a = x.clone()
    b = a
    a.unsqueeze_(0)
    a.transpose_(1, 2)
    a.squeeze_(0)
    a.t_()
    a.add_(1)
    c = a.t()
    c.squeeze_()
    return a, b, c
"""), x)
check("fill_diagonal_, zero_, copy_ of another shape", program("""
def forward(self, x):
    a = x.clone()
    a.fill_diagonal_(3.0)
    b = torch.empty(3, 4)
    b.copy_(x[0])
    b[1].zero_()
    c = torch.empty_like(x).fill_(2)
    return a, b, c
"""), x)
check("out= results", program("""
def forward(self, x, y):
    a = torch.zeros(3, 4)
    v = a[1:]
    torch.add(x[1:], y[1:], out=v)
    b = torch.empty(3, 3)
    torch.matmul(x, y.t(), out=b)
    return a, b
"""), x, y)

clause("in place on inputs")
check("inputs changed, returned, and views of them", program("""
def forward(self, x, y):
    x[0] = 1.0
    y.add_(x)
    return y, x[0], x, y.t()
"""), x, y)
check("an input changed and not returned", program("""
def forward(self, x):
    x.mul_(2)
    return x.sum()
"""), x)
check("the same tensor twice, and an input beside its change", program("""
def forward(self, x):
    a = x + 1
    b = x
    b += 1
    return a, a, b, x, {"k": a}
"""), x)
check("a view of an input written, then the input read", program("""
def forward(self, x):
    v = x.view(-1)[3:7]
    v.zero_()
    return x * 2, v
"""), x)
check("inputs returned as they are, in another order", program("""
def forward(self, x, y):
    return y, x, y
"""), x, y)

clause("as_strided and overlap")
check("as_strided read and written", program("""
def forward(self, x):
    a = x.clone()
    b = a.as_strided((3, 2), (4, 2), 1)
    c = a.as_strided((2, 2), (1, 1))
    b += 10
    w = torch.as_strided(a.t(), (4,), (3,))
    w[1] = -5.0
    return a, b, c, w
"""), x)
check("as_strided whose elements overlap, written by copies", program("""
def forward(self, x):
    a = x.clone()
    b = a.as_strided((5, 4), (2, 1))
    s = b * 2
    a[0, 2] = 100.0
    return a, b, s
"""), x)
check("a sliding window of a written tensor", program("""
def forward(self, x):
    a = x.clone()
    w = a.unfold(1, 3, 1)
    a[:, 1] = 7.0
    return w.sum(-1), w
"""), x)
check("one tensor under two names as operands of an in-place op", program("""
def forward(self, x):
    a = x.clone()
    a.add_(a)
    a[1:].mul_(a[1:])
    a.copy_(a)
    b = a.view(-1)
    b.sub_(a.view(12))
    return a, b
"""), x)
check("the same input given twice", program("""
def forward(self, x, y):
    a = x * 2
    a += y
    return a, x + y
"""), x, x)

clause("refused as eager does")
refuse("expanded, then written", program("""
def forward(self, x):
    return x[0:1].expand(3, 4).add_(1)
"""), x, saying="writes to an expanded tensor", kinds=("pt",))
refuse("float into int in place", program("""
def forward(self, x):
    a = torch.zeros(3, 4, dtype=torch.int64)
    a += x
    return a
"""), x, saying="result type f32 can't be cast", kinds=("pt",))
refuse("an in-place result of another shape", program("""
def forward(self, x):
    a = torch.zeros(4)
    a += x
    return a
"""), x, saying="doesn't fit the tensor that it is written to", kinds=("pt",))
refuse("view over a gap", program("""
def forward(self, x):
    return x[:, :2].view(6)
"""), x, saying="view() of a tensor whose strides don't allow that shape", kinds=("pt",))
refuse("as_strided beyond the storage", program("""
def forward(self, x):
    return x.as_strided((4, 4), (4, 1))
"""), x, saying="as_strided reaches element 15 of a storage of 12", kinds=("pt",))
refuse("resize_", program("""
def forward(self, x):
    a = x.clone()
    a.resize_(2, 2)
    return a
"""), x, saying="aten::resize_", kinds=("pt",))
refuse("an index out of bounds in data", program("""
def forward(self, x, i):
    a = x.clone()
    a[i] = 1.0
    return a
"""), x, torch.tensor([0, 1]), saying="", run=(x, torch.tensor([0, 3])))
finish()
