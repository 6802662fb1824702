# RUN: env PYTHONPATH=%S/Inputs %python %s
# REQUIRES: torch, python-torch
"""State: attributes that the method assigns and buffers that it changes, over several runs, each program against eager."""
import torch
from eager import check, clause, finish, program, refuse

torch.manual_seed(0)
x, y = torch.randn(3, 4), torch.randn(3, 4)
clause("buffers and attributes")
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

check("a buffer assigned and one changed through a view", program("""
def __init__(self):
    super().__init__()
    self.register_buffer("a", torch.zeros(4))
    self.register_buffer("b", torch.zeros(3, 4))

def forward(self, x):
    self.a = self.a * 0.5 + x.sum(0)
    self.b[1:].add_(x[:2])
    v = self.b.t()
    v[0] = -1.0
    return self.a + 1, self.b * 2, v
"""), x, runs=3)
check("a parameter changed in place", program("""
def __init__(self):
    super().__init__()
    self.w = nn.Parameter(torch.ones(4), requires_grad=False)

def forward(self, x):
    y = x * self.w
    self.w.mul_(2)
    return y
"""), x, runs=3)
check("state of a submodule, used twice", program("""
def __init__(self):
    super().__init__()
    self.cell = Cell()
    self.other = Cell()

def forward(self, x):
    return self.cell(self.cell(x)) + self.other(x)
""", before="""
class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("h", torch.zeros(3, 4))
    def forward(self, x):
        self.h = torch.tanh(self.h + x)
        return self.h
"""), x, runs=3, kinds=("pt",))  # export forgets the assignment
check("a cache of fixed size written at a counted position", program("""
def __init__(self):
    super().__init__()
    self.register_buffer("cache", torch.zeros(5, 4))
    self.register_buffer("at", torch.zeros(1, dtype=torch.int64))

def forward(self, x):
    self.cache.index_copy_(0, self.at, x[0:1])
    self.at += 1
    return self.cache.sum(0), self.at.clone()
"""), x, runs=4, interpreted=False)
check("integers that count calls", program("""
def __init__(self):
    super().__init__()
    self.register_buffer("n", torch.tensor(3))
    self.register_buffer("m", torch.tensor([1, 2, 4, 8]))

def forward(self, x):
    y = x * self.n + self.m
    self.n += 1
    self.m[0] = self.n
    return y, self.n * 2, self.m.sum()
"""), x, runs=3)
check("two attributes that swap", program("""
def __init__(self):
    super().__init__()
    self.register_buffer("a", torch.zeros(4))
    self.register_buffer("b", torch.ones(4))

def forward(self, x):
    t = self.a
    self.a = self.b
    self.b = t + x.sum(0)
    return self.a * 2 + self.b
"""), x, runs=4, kinds=("pt",))
check("floats and strings and None as state", program("""
f: float
s: str
t: Optional[Tensor]

def __init__(self):
    super().__init__()
    self.f = 0.5
    self.s = "first"
    self.t = None

def forward(self, x):
    t = self.t
    if t is None:
        y = x
    else:
        y = x + t
    self.t = y
    if self.s == "first":
        self.s = "later"
        self.f = self.f * 2
    return y * self.f
"""), x, runs=4, kinds=("pt",))
check("a counter that drives a schedule", program("""
step: int

def __init__(self):
    super().__init__()
    self.step = 0

def forward(self, x):
    self.step += 1
    return x / (self.step + 1), self.step, self.step % 3
"""), x, runs=8, kinds=("pt",))
check("state returned and then changed", program("""
def __init__(self):
    super().__init__()
    self.register_buffer("h", torch.zeros(4))

def forward(self, x):
    old = self.h.clone()
    self.h.add_(x[0])
    return old, self.h + 0
"""), x, runs=3)
check("an attribute that becomes an input", program("""
def __init__(self):
    super().__init__()
    self.last = torch.zeros(3, 4)

def forward(self, x):
    d = x - self.last
    self.last = x
    return d
"""), x, kinds=("pt",), more=[(y,), (x,), (x,)])
check("batch norm in training mode counts", torch.nn.BatchNorm1d(4), x, kinds=("pt",), runs=2)
clause("aliases among attributes")
check("two names of one buffer", program("""
def __init__(self):
    super().__init__()
    self.register_buffer("a", torch.zeros(4))
    self.b = self.a

def forward(self, x):
    self.a.add_(x[0])
    return self.b * 2, self.a + 1
"""), x, runs=3, kinds=("pt",))  # export copies one of the two
check("an attribute that others begin to be", program("""
def __init__(self):
    super().__init__()
    self.register_buffer("a", torch.zeros(4))
    self.register_buffer("b", torch.ones(4))

def forward(self, x):
    self.a.add_(x[0])
    y = self.b + 0
    self.b = self.a
    return y
"""), x, runs=4, kinds=("pt",))
refuse("a buffer that is a view of another", program("""
def __init__(self):
    super().__init__()
    self.register_buffer("a", torch.zeros(3, 4))
    self.register_buffer("b", self.a[1])

def forward(self, x):
    self.a.add_(x)
    return self.b * 2, self.a + 1
"""), x, kinds=("pt",), saying="which shares its memory with attribute 'b'")
check("an attribute assigned to another, then changed", program("""
def __init__(self):
    super().__init__()
    self.register_buffer("a", torch.zeros(4))
    self.register_buffer("b", torch.ones(4))

def forward(self, x):
    self.b = self.a
    self.b.add_(x[0])
    return self.a + 0, self.b + 0
"""), x, runs=3, kinds=("pt",))
clause("state of symbolic sizes")
check("a state of another size each run", program("""
h: Tensor

def __init__(self):
    super().__init__()
    self.h = torch.zeros(1)

def forward(self, x):
    y = x + self.h.sum()
    self.h = x * 2
    return y, self.h.size(0)
"""), x, kinds=("pt",), specs=["B,4"], more=[(torch.randn(5, 4),), (torch.randn(2, 4),), (x,)])
recurrent = """
h: Tensor

def __init__(self):
    super().__init__()
    self.h = torch.zeros(0)

def forward(self, x):
    if self.h.size(0) == 0:
        self.h = torch.zeros(x.shape)
    self.h = torch.tanh(self.h + x)
    return self.h * 2
"""
check("a recurrent state for any batch", program(recurrent), x, kinds=("pt",), specs=["B,4"], runs=3)
clause("state that can't be kept")
refuse("a list attribute that grows", program("""
parts: List[Tensor]

def __init__(self):
    super().__init__()
    self.parts = [torch.zeros(4)]

def forward(self, x):
    self.parts.append(x[0])
    return torch.stack(self.parts).sum(0)
"""), x, kinds=("pt",), saying="attribute 'parts'")
refuse("a dict attribute that is written", program("""
table: Dict[str, Tensor]

def __init__(self):
    super().__init__()
    self.table = {"a": torch.zeros(4)}

def forward(self, x):
    self.table["a"] = self.table["a"] + x[0]
    return self.table["a"]
"""), x, kinds=("pt",), saying="attribute 'table'")
refuse("a list attribute that is assigned", program("""
parts: List[Tensor]

def __init__(self):
    super().__init__()
    self.parts = [torch.zeros(4)]

def forward(self, x):
    out = self.parts[0] + x[0]
    self.parts = [out]
    return out
"""), x, kinds=("pt",), saying="attribute 'parts'")
refuse("a tensor in a list attribute that is written in place", program("""
parts: List[Tensor]

def __init__(self):
    super().__init__()
    self.parts = [torch.zeros(4)]

def forward(self, x):
    self.parts[0].add_(x[0])
    return self.parts[0] + 0
"""), x, kinds=("pt",), saying="parts")
finish()
