# RUN: env PYTHONPATH=%S/Inputs %python %s
# REQUIRES: torch, python-torch
"""TorchScript's language: modules, methods, containers, control flow, arguments, nested inputs and outputs, each program against eager."""
import sys

import torch
from eager import check, clause, finish, program, refuse

torch.manual_seed(0)
x, y = torch.randn(3, 4), torch.randn(3, 4)


def script(name, body, *inputs, before="", **options):
    check(name, program(body, before), *inputs, **{"kinds": ("pt",), **options})


def no(name, body, *inputs, saying, before="", **options):
    refuse(name, program(body, before), *inputs, **{"kinds": ("pt",), "saying": saying, **options})


clause("modules and methods")
script("module list: zip, length, negative index", """
def __init__(self):
    super().__init__()
    self.a = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
    self.b = nn.ModuleList([nn.LayerNorm(4) for _ in range(3)])

def forward(self, x):
    for layer, norm in zip(self.a, self.b):
        x = norm(layer(x))
    return self.a[-1](x) + len(self.a)
""", x)
script("module dict: items, keys, values, in", """
def __init__(self):
    super().__init__()
    self.table = nn.ModuleDict({"one": nn.Linear(4, 4), "two": nn.ReLU()})

def forward(self, x):
    names: List[str] = []
    for name, layer in self.table.items():
        x = layer(x)
        names.append(name)
    for layer in self.table.values():
        x = layer(x)
    if "one" in self.table:
        x = x + len(names)
    return self.table["two"](x)
""", x)
script("sequential, shared modules, parameter list", """
def __init__(self):
    super().__init__()
    self.net = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 4))
    self.again = self.net[0]
    self.scales = nn.ParameterList([nn.Parameter(torch.full((4,), float(i))) for i in range(3)])

def forward(self, x):
    x = self.net(x)
    for scale in self.scales:
        x = x * scale + 1
    return self.again(x)
""", x)
script("another method", """
def forward(self, x):
    return x

@torch.jit.export
def twice(self, x, k: int):
    return self.helper(x) * k

def helper(self, x):
    return x + x
""", x, method="twice", bind={"k": 3})
script("a function and constants of math", """
def forward(self, x):
    return scaled(x, 3) + math.sqrt(2.0) + math.pi
""", x, before="""
def scaled(x, n: int = 2):
    return x * n
""")
script("properties, final attributes, training flag", """
limit: Final[int]

def __init__(self):
    super().__init__()
    self.limit = 3
    self.drop = nn.Dropout(0.5)
    self.norm = nn.BatchNorm1d(4)

@property
def double(self) -> int:
    return self.limit * 2

def forward(self, x):
    if self.training:
        return x
    return self.norm(self.drop(x)) + self.double
""", x)
script("default arguments", """
def forward(self, x, scale: float = 2.0, shift: int = 1, flip: bool = False):
    y = x * scale + shift
    return -y if flip else y
""", x)
script("no_grad and a function of the functional module", """
def forward(self, x):
    with torch.no_grad():
        y = F.relu(x) + 1
    return y
""", x)
script("attributes of all kinds", """
sizes: List[int]
table: Dict[str, float]
pair: Tuple[int, float]
maybe: Optional[Tensor]
parts: List[Tensor]
named: Dict[str, Tensor]

def __init__(self):
    super().__init__()
    self.sizes = [1, 2]
    self.table = {"a": 0.5}
    self.pair = (3, 1.5)
    self.maybe = torch.ones(4)
    self.parts = [torch.ones(4), torch.zeros(3, 4)]
    self.named = {"w": torch.full((4,), 2.0)}
    self.none = None
    self.text = "add"

def forward(self, x):
    m = self.maybe
    if m is not None and self.text == "add":
        x = x + m
    return x * self.table["a"] + self.pair[0] * self.pair[1] + sum(self.sizes) + self.parts[0] + self.named["w"]
""", x)
script("a hook on a submodule", """
def __init__(self):
    super().__init__()
    self.inner = nn.Linear(4, 4)
    self.inner.register_forward_hook(hook)

def forward(self, x):
    return self.inner(x)
""", x, before="""
def hook(self, input: Tuple[Tensor], output: Tensor):
    return output * 2
""")

clause("control flow on known values")
script("while, break, continue", """
def forward(self, x):
    n = 0
    total = 0
    while True:
        n += 1
        if n % 2 == 0:
            continue
        if n > 9:
            break
        total += n
    for i in range(10, 0, -3):
        if i == 4:
            break
        x = x + i
    return x * total
""", x)
script("early return out of nested loops", """
def find(self, limit: int) -> int:
    for i in range(5):
        for j in range(5):
            if i * j > limit:
                return i * 10 + j
    return -1

def forward(self, x):
    return x + self.find(6), x + self.find(100)
""", x)
script("loops over sizes, lists, strings, dicts, tuples", """
def forward(self, x):
    total = 0
    for i in range(x.size(0)):
        x = x + i
    for v in [3, 1, 2]:
        total += v
    for c in "ab":
        total += len(c)
    for k in {"p": 1, "q": 2}:
        total += len(k)
    for i, v in enumerate([2.0, 4.0], 1):
        x = x * v + i
    for a, b in zip([1, 2], [3, 4]):
        total += a * b
    for i in range(2, 8, 2):
        total += i
    return x + total
""", x)
script("raise and assert on paths not taken", """
def forward(self, x, mode: str = "a"):
    assert x.dim() == 2, "two dims"
    if mode == "b":
        raise NotImplementedError("mode b")
    elif mode == "a":
        y = x + 1
    else:
        raise ValueError(f"bad {mode}")
    assert y.shape == x.shape
    return y
""", x)
script("try nothing: variables defined in one branch", """
def forward(self, x, flag: bool):
    if flag:
        y = x + 1
        n = 2
    else:
        y = x - 1
        n = 3
    z: Optional[Tensor] = None
    if n == 2:
        z = y * 2
    if z is None:
        z = y
    return z
""", x, bind={"flag": True})
script("recursion over the structure of shapes", """
def forward(self, x):
    while x.dim() < 4:
        x = x.unsqueeze(0)
    while x.size(-1) > 1:
        x = x[..., ::2]
    return x
""", x)
script("conditional expressions and boolean operators", """
def forward(self, x):
    a = 3 if x.size(1) == 4 else 5
    b = x.size(0) > 2 and not (a == 5) or False
    c = x if b else x * 0
    return c + a, b, x.is_floating_point() and x.dtype == torch.float32
""", x)
no("a branch on data", """
def forward(self, x):
    y = x + 1
    if bool((y > 0).all()):
        y = y * 2
    return y
""", x, saying="if bool((y > 0).all()):")
no("a loop on data", """
def forward(self, x):
    n = int(x.sum())
    for i in range(n):
        x = x + i
    return x
""", x, saying="for i in range(n):")
no("a while on data", """
def forward(self, x):
    while float(x.sum()) < 10:
        x = x + 1
    return x
""", x, saying="while float(x.sum()) < 10:")
no("an unrolling that explodes", """
def forward(self, x):
    for i in range(200):
        for j in range(200):
            for k in range(200):
                x = x + 1
    return x
""", x, saying="for k in range(200):")
no("a raise on the path taken", """
def forward(self, x):
    if x.size(0) == 3:
        raise ValueError("three rows: " + str(x.size(0)))
    return x
""", x, saying="the model raises ValueError for these inputs: three rows: 3")

clause("containers")
script("list methods", """
def forward(self, x):
    a = [5, 3, 8]
    a.append(1)
    a.extend([7, 7])
    a.insert(1, 9)
    a.sort()
    b = a.copy()
    b.reverse()
    last = b.pop()
    first = b.pop(0)
    b.remove(7)
    n = a.index(8) + a.count(7) * 10 + (100 if 3 in a else 0)
    a.clear()
    b[0] = 42
    b += [1]
    c = b + [2] * 3
    del c[0]
    return x + n + last * 1000 + first, c, len(a), max(c), min(c), sum(c), sorted(c)
""", x)
script("slices of lists and tuples", """
def forward(self, x):
    a = [0, 1, 2, 3, 4, 5]
    t = (x, 2, x + 1, 4)
    u, v = t[1:3]
    return a[1:], a[:-1], a[::2], a[-3:-1], a[1:100], v, t[-1]
""", x)
script("comprehensions", """
def forward(self, x):
    rows = [r * 2 for r in x.unbind(0)]
    sizes = [s * s for s in x.shape]
    table = {i: i * i for i in range(3)}
    flags = [s > 3 for s in sizes]
    return torch.stack(rows), sizes, table[2], any(flags), all(flags), [len(n) for n in ["a", "bb"]]
""", x)
script("dict methods", """
def forward(self, x):
    d: Dict[str, Tensor] = {}
    d["a"] = x
    d["b"] = x + 1
    e = d.copy()
    e.update({"c": x * 2})
    z = e.pop("a")
    g = e.get("q")
    k = e.get("b", x)
    s = d.setdefault("n", x - 1)
    del e["b"]
    total = z + k + s
    if g is None:
        total = total + len(e)
    for name, value in d.items():
        if name in e or name == "a":
            total = total + value
    ints: Dict[int, int] = {1: 2}
    ints[3] = 4
    for value in ints.values():
        total = total + value
    return total, list(ints.keys())
""", x)
script("aliases of lists", """
def forward(self, x):
    a = [x]
    b = a
    b.append(x + 1)
    nested = [[1], [2]]
    inner = nested[0]
    inner.append(5)
    c = list(a)
    c.append(x)
    return len(a), nested[0], torch.stack(a).sum(), len(c)
""", x)
script("named tuples in and out of functions", """
def make(self, x) -> Point:
    return Point(x, 3, tag="t")

def forward(self, x):
    p = self.make(x)
    q = Point(x=p.x * p.n, n=len(p.tag), tag="u")
    a, n, t = q
    return q.x + n, p[1], q
""", x, before="""
class Point(NamedTuple):
    x: Tensor
    n: int
    tag: str = ""
""")
script("enums", """
def __init__(self):
    super().__init__()
    self.color = Color.RED

def pick(self, c: Color) -> int:
    if c == Color.RED:
        return 1
    return 2

def forward(self, x):
    n = self.pick(self.color) * 10 + self.pick(Color.BLUE)
    if self.color is Color.RED:
        n += 100
    if self.color != Color.BLUE:
        n += int(Color.BLUE.value)
    return x + n, len(Color.RED.name)
""", x, before="""
from enum import Enum
class Color(Enum):
    RED = 1
    BLUE = 2
""")
script("optionals and isinstance", """
def pick(self, v: Optional[Tensor], n: Optional[int] = None) -> Tensor:
    if v is None:
        return torch.zeros(2)
    if n is not None:
        return v + n
    return v

def any_of(self, v: Any) -> int:
    if isinstance(v, int):
        return 1
    if isinstance(v, (str, float)):
        return 2
    if torch.jit.isinstance(v, List[int]):
        return 3
    if isinstance(v, Tensor):
        return 4
    return 5

def union(self, v: Union[int, str]) -> int:
    if isinstance(v, str):
        return len(v)
    return v

def forward(self, x):
    n = self.any_of(1) + 10 * self.any_of("s") + 100 * self.any_of([1]) + 1000 * self.any_of(x) + 10000 * self.any_of(None)
    return self.pick(x), self.pick(None), self.pick(x, 3), n, self.union("abc") + self.union(4)
""", x)
script("string methods", """
def forward(self, x):
    s = "Hello {} {}".format(x.size(0), 1.5)
    t = f"{s}!" + "-".join(["a", "b"]) + "%d%s" % (3, "z")
    parts = "a,b,,c".split(",")
    n = len(t) + len(parts) + t.find("!") + int("42") + ord("a")
    if t.startswith("Hello") and t.lower().endswith("z") and "3 1.5" in t and s[0] == "H" and s[1:3] == "el":
        n += 1000
    if "b" > "a" and "x".upper() == "X" and " p ".strip() == "p" and "aXa".replace("a", "b") == "bXb":
        n += 5000
    return x + n
""", x)
script("numbers", """
def forward(self, x):
    a = 7 // 2 + 7 % 3 - (-7 // 2) + (-7) % 3
    b = math.floor(2.7) + math.ceil(2.2) + int(math.log(math.e)) + abs(-4)
    c = float(a) / 3 + math.sqrt(2.0) * math.sin(1.0) - math.fabs(-1.5) + math.exp(0.5)
    d = (5 & 3) | (1 << 4) ^ 2
    e = 17 // 5 * 10 + 17 % 5
    f = float("inf") > 1e30 and not math.isnan(c)
    return x + a + b + c, d, e, f, -a, 1e-3 * a, int(True) + True
""", x)
script("math of floats", """
def forward(self, x):
    n = x.size(1)
    s = 1.0 / math.sqrt(n)
    return x * s + math.pow(2.0, 0.5) + min(1.5, 2) + max(n, 2), math.atan2(1.0, 2.0), 7.5 // 2, 7.5 % 2, -7.5 % 2.0, 3 / 2
""", x)

clause("arguments")
script("bound list, string, float, none", """
def forward(self, x, sizes: List[int], name: str, scale: float, extra: Optional[Tensor], flag: Optional[bool]):
    y = x.reshape(sizes) * scale
    if name == "neg":
        y = -y
    if extra is not None:
        y = y + extra
    if flag is None:
        y = y + 10
    return y
""", x, bind={"sizes": [2, 6], "name": "neg", "scale": 0.5, "extra": None, "flag": None})
script("bound lists of floats and strings, a tuple", """
def forward(self, x, factors: List[float], names: List[str], size: Tuple[int, int]):
    for f, n in zip(factors, names):
        if n == "mul":
            x = x * f
        else:
            x = x + f
    return x.view(size)
""", x, bind={"factors": [1.5, 2.0], "names": ["mul", "add"], "size": (4, 3)})
script("an int, a float and a bool as plan inputs", """
def forward(self, x, n: int, s: float, b: bool):
    return x * n + s, n * 2 + 1, s / n, n // 2, -s, n > 3, b, x + (n - s), n / 3, n % 3, not b, math.sqrt(abs(s)), int(s), float(n), max(n, 3), float(n ** 2)
""", x, 5, 2.5, True, specs=["3,4", None, None, None], more=[(x, 7, -1.5, False), (x, -2, 0.25, True)])
script("a scalar argument in integer tensors", """
def forward(self, x, n: int, s: float):
    return x + n, x * s, x / n, x // n, x % n, x == n, torch.clamp(x, 0, 5) + n, x.float() * n
""", torch.arange(6, dtype=torch.int32), 3, 1.5, specs=["6", None, None], more=[(torch.arange(6, dtype=torch.int32), 2, 0.5)])
script("scalar arguments of operators", """
def forward(self, x, n: int, s: float):
    return torch.add(x, x, alpha=s), x.clamp(max=s), torch.full([2], s), x.masked_fill(x > 0, s), torch.where(x > 0, x, s), x ** s, x.fill_(s) + n
""", x.abs(), 3, 1.5, specs=["3,4", None, None], more=[(x.abs(), 2, 0.5)])
script("an unused scalar argument", """
def forward(self, x, n: int, s: float):
    return x * s
""", x, 5, 2.5, specs=["3,4", None, None])
no("a scalar argument that decides a branch", """
def forward(self, x, n: int):
    if n > 2:
        return x * n
    return x
""", x, saying="the value of argument 'n' (int) is needed: --bind n=2")
no("a scalar argument that is a size", """
def forward(self, x, n: int):
    return x[:, :n], torch.zeros(n)
""", x, saying="the value of argument 'n' (int) is needed: --bind n=VALUE")
no("a string that isn't bound", """
def forward(self, x, mode: str):
    if mode == "up":
        return x + 1
    return x
""", x, saying="--bind mode=up")
no("a list that isn't bound", """
def forward(self, x, sizes: List[int]):
    return x.reshape(sizes)
""", x, saying="the value of argument 'sizes' (List[int]) is needed")
no("a bound value of another type", """
def forward(self, x, n: int):
    return x * n
""", x, bind={"n": "three"}, saying="--bind n=three: the argument is a int")
no("a bound argument that isn't there", """
def forward(self, x, n: int = 1):
    return x * n
""", x, bind={"m": 3}, saying="--bind m: the method has no such argument")

clause("nested inputs and outputs")
for kind, body, inputs, names in [
    ("list of tensors", "def forward(self, xs: List[Tensor]):\n    return xs[0] + xs[1], len(xs)", ([x, y],), None),
    ("tuple of tensors", "def forward(self, p: Tuple[Tensor, Tensor], z):\n    a, b = p\n    return a * b + z", ((x, y), x), None),
    ("nested tuple", "def forward(self, p: Tuple[Tensor, Tuple[Tensor, Tensor]]):\n    a, (b, c) = p\n    return a + b * c", ((x, (y, x)),), None),
    ("list of tuples", "def forward(self, ps: List[Tuple[Tensor, Tensor]]):\n    t = ps[0][0]\n    for a, b in ps:\n        t = t + a * b\n    return t", ([(x, y), (y, y)],), None),
    ("dict of tensors", "def forward(self, d: Dict[str, Tensor]):\n    return d['a'] - d['b'], len(d)", ({"a": x, "b": y},), ["d.a", "d.b"]),
]:
    check(kind, program(body), *inputs, kinds=("pt",), names=names)
script("an optional tensor given and not", """
def forward(self, x, mask: Optional[Tensor] = None):
    if mask is not None:
        x = x * mask
    return x
""", x, y)
script("an optional tensor left out", """
def forward(self, x, mask: Optional[Tensor] = None):
    if mask is not None:
        x = x * mask
    return x
""", x)
script("nested outputs", """
def forward(self, x):
    d: Dict[str, Tensor] = {"b": x, "a": x + 1}
    e: Dict[str, List[Tensor]] = {"l": [x, x * 2]}
    return {"t": (x, 1), "u": (x * 2, 2)}, [d, d], e, (x.sum(), (x, (2.5, True))), None, 3
""", x)
script("a list made in a loop and returned", """
def forward(self, x):
    out: List[Tensor] = []
    for i in range(3):
        out.append(x + i)
    return out, [[r for r in x.unbind(0)], out]
""", x)

pair = program("""
def forward(self, p: Point):
    a, b = p
    return a * p.y + b, p
""", "class Point(NamedTuple):\n    x: Tensor\n    y: Tensor\n")
check("a named tuple of tensors", pair, sys.modules[type(pair).__module__].Point(x, y), kinds=("pt",))
script("objects of script classes", """
def forward(self, x):
    b = Box(3)
    c = b
    y = x * b.grow(2)
    return y + c.n
""", x, before="""
@torch.jit.script
class Box:
    def __init__(self, n: int):
        self.n = n
    def grow(self, k: int) -> int:
        self.n = self.n + k
        return self.n
""")
clause("refused by name")
no("a context manager of the program's own", """
def forward(self, x):
    with Guard(2):
        x = x + 1
    return x
""", x, before="""
@torch.jit.script
class Guard:
    def __init__(self, n: int):
        self.n = n
    def __enter__(self):
        self.n = 1
    def __exit__(self, a: Any, b: Any, c: Any):
        self.n = 2
""", saying="context manager")
no("fork and wait", """
def forward(self, x):
    f = torch.jit.fork(work, x)
    return torch.jit.wait(f) + x
""", x, before="""
def work(x):
    return x * 2
""", saying="fork")
no("random numbers", """
def forward(self, x):
    return x + torch.rand_like(x)
""", x, saying="random numbers are not supported")
no("complex numbers", """
def forward(self, x):
    return torch.fft.rfft(x).abs()
""", x, saying="aten::fft_rfft")
finish()
