# RUN: %python %s graphc-opt graphc-eval %t
# What the target phase makes of a function computes what the function says: chains of every fusion kind are run by the interpreter before and after, on the
# same pseudo-random weights.
import random
import struct
import subprocess
import sys

opt, evaluate, scratch = sys.argv[1:4]
rng = random.Random(7)
parameters, functions = [], []


def tensor(*dims, order=None):
    dims = "x".join(str(d) for d in dims)
    return f"tensor<{dims}xf32>" if dims else "tensor<f32>"


class Function:
    def __init__(self, name):
        self.name, self.lines, self.count = name, [], 0
        functions.append(self)

    def value(self, text, type):
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"  {name} = {text}")
        return name, type

    def weight(self, *dims):
        count = 1
        for d in dims:
            count *= d
        name = f"p{len(parameters)}"
        data = struct.pack(f"<{count}f", *(rng.uniform(-1, 1) for _ in range(count))).hex().upper()
        parameters.append(f'graph.parameter @{name} = dense<"0x{data}"> : {tensor(*dims)}')
        return self.value(f"graph.get @{name} : {tensor(*dims)}", dims)

    def op(self, name, operands, result, suffix="", between=", "):
        types = ", ".join(tensor(*t) for _, t in operands)
        text = between.join(v for v, _ in operands)
        return self.value(f"graph.{name} {text}{suffix} : ({types}) -> {tensor(*result)}", result)

    def unary(self, name, x, **kw):
        return self.op(name, [x], x[1])

    def binary(self, name, a, b):
        return self.op(name, [a, b], max(a[1], b[1], key=len) if len(a[1]) != len(b[1]) else tuple(map(max, a[1], b[1])))

    def permute(self, x, *dims):
        return self.op("permute", [x], tuple(x[1][d] for d in dims), f" {list(dims)}")

    def reshape(self, x, *dims):
        inner = ", ".join(f"#graph.dim<{d}>" for d in dims)
        return self.op("reshape", [x], dims, f" to [{inner}]")

    def slice(self, x, starts, sizes):
        one = ", ".join(f"#graph.dim<{d}>" for d in starts)
        two = ", ".join(f"#graph.dim<{d}>" for d in sizes)
        return self.op("slice", [x], sizes, f" from [{one}] size [{two}] step {[1] * len(sizes)}")

    def linear(self, x, n):
        return self.op("linear", [x, self.weight(n, x[1][-1])], x[1][:-1] + (n,))

    def conv(self, x, n, k, stride=1, padding=0, groups=1):
        spatial = [(d + 2 * padding - k) // stride + 1 for d in x[1][2:]]
        w = self.weight(n, x[1][1] // groups, *[k] * len(spatial))
        rep = lambda v: str([v] * len(spatial))
        suffix = f" stride {rep(stride)} padding {rep(padding)} dilation {rep(1)}" + (f" {{groups = {groups} : i64}}" if groups > 1 else "")
        return self.op("convolution", [x, w], (x[1][0], n, *spatial), suffix)

    def reduce(self, name, x, dim):
        return self.op(name, [x], x[1][:dim] + (1,) + x[1][dim + 1:], f" [{dim}] keepdim")

    def text(self, results):
        types = ", ".join(tensor(*t) for _, t in results)
        body = "\n".join(self.lines)
        names = ", ".join(v for v, _ in results)
        return f"func.func @{self.name}() -> ({types}) {{\n{body}\n  return {names} : {types}\n}}"


def build():
    texts = []

    def case(make):
        f = Function(make.__name__)
        results = make(f)
        texts.append(f.text(results if isinstance(results, list) else [results]))

    @case
    def mlp(f):
        x = f.unary("gelu", f.linear(f.weight(5, 7), 40))
        y = f.binary("add", f.linear(x, 7), f.weight(5, 7))
        return [y, f.op("softmax", [y], y[1], " dim 1")]

    @case
    def attention(f):
        x = f.weight(2, 6, 8)
        heads = [f.permute(f.reshape(f.linear(x, 8), 2, 6, 2, 4), 0, 2, 1, 3) for _ in range(3)]
        q, k, v = heads
        s = f.op("matmul", [q, f.permute(k, 0, 1, 3, 2)], (2, 2, 6, 6))
        p = f.op("softmax", [f.binary("add", s, f.weight(6, 6))], s[1], " dim 3")
        o = f.op("matmul", [p, v], (2, 2, 6, 4))
        return f.binary("add", f.linear(f.reshape(f.permute(o, 0, 2, 1, 3), 2, 6, 8), 8), x)

    @case
    def convs(f):
        x = f.unary("relu", f.conv(f.weight(1, 3, 9, 9), 8, 3, padding=1))
        y = f.binary("add", f.conv(x, 8, 3, padding=1), x)
        d = f.unary("relu", f.conv(y, 8, 3, padding=1, groups=8))
        s = f.conv(d, 20, 3, stride=2)
        m = f.reduce("mean", f.reduce("mean", s, 2), 3)
        return [s, f.linear(f.reshape(m, 1, 20), 5)]

    @case
    def conv1d(f):
        x = f.op("concat", [f.weight(1, 1, 8), f.weight(1, 1, 40)], (1, 1, 48), " dim 2")
        y = f.conv(x, 34, 16, stride=8)
        re, im = f.slice(y, (0, 0, 0), (1, 17, 5)), f.slice(y, (0, 17, 0), (1, 17, 5))
        m = f.unary("sqrt", f.binary("add", f.binary("mul", re, re), f.binary("mul", im, im)))
        z = f.unary("relu", f.conv(m, 16, 3, padding=1))
        return [m, f.unary("sigmoid", f.conv(z, 1, 1))]

    @case
    def gates(f):
        g = f.binary("add", f.linear(f.weight(1, 6), 16), f.linear(f.weight(1, 4), 16))
        i, j, k, o = (f.slice(g, (0, 4 * n), (1, 4)) for n in range(4))
        c = f.binary("add", f.binary("mul", f.unary("sigmoid", j), f.weight(1, 4)), f.binary("mul", f.unary("sigmoid", i), f.unary("tanh", k)))
        return [f.binary("mul", f.unary("sigmoid", o), f.unary("tanh", c)), c]

    @case
    def rows(f):
        x = f.weight(3, 4, 10)
        centred = f.binary("sub", x, f.reduce("mean", x, 2))
        scale = f.unary("sqrt", f.reduce("mean", f.binary("mul", centred, centred), 2))
        n = f.binary("div", centred, scale)
        return [n, f.permute(f.unary("relu", n), 2, 0, 1), f.reduce("sum", f.permute(n, 1, 0, 2), 0)]

    @case
    def views(f):
        x = f.weight(4, 6, 5)
        a = f.unary("relu", f.reshape(f.permute(f.unary("neg", x), 1, 0, 2), 24, 5))
        b = f.reshape(f.permute(f.reshape(a, 3, 8, 5), 2, 1, 0), 10, 12)
        c = f.slice(b, (2, 3), (5, 8))
        return [a, b, f.op("softmax", [c], c[1], " dim 0"), f.reshape(f.slice(x, (1, 0, 0), (2, 6, 5)), 60)]

    return "\n".join(parameters + texts)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr}")
    return done.stdout


def values(text):
    result = {}
    for line in text.splitlines():
        name, number, type, sizes, data = (line.split() + [""])[:5]
        if number == "error:":
            sys.exit(line)
        result[name, number] = (sizes, struct.unpack(f"<{len(data) // 8}f", bytes.fromhex(data)))
    return result


source = scratch + ".mlir"
with open(source, "w") as file:
    file.write(build())
expected = values(run(evaluate, source))
assert len(expected) == 16, sorted(expected)
for level in ("0", "1"):
    made = run(opt, source, f"--graphc-target-phase=opt-level={level}")
    with open(f"{scratch}.{level}.mlir", "w") as file:
        file.write(made)
    assert "graph.linear" not in made and "kernel.launch" in made
    found = values(run(evaluate, f"{scratch}.{level}.mlir"))
    assert expected.keys() == found.keys()
    for key, (sizes, numbers) in expected.items():
        assert found[key][0] == sizes, (level, key, sizes, found[key][0])
        for a, b in zip(numbers, found[key][1]):
            assert abs(a - b) <= 1e-5 * max(1, abs(a)), (level, key, a, b)
