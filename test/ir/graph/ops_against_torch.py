# RUN: %python %s
# REQUIRES: python-torch
"""Every graph op with a meaning, on the interpreter, against PyTorch eager: dtypes, odd, single-element and empty shapes, NaN, infinities and -0.

A case is an op's text with $0, $1, … for its operands, the operands, and what eager gives. All cases become one IR file that graphc-eval runs, as it is and again
after Decompose, FuseKernels and OutlineKernels; integers, bools,
NaN and infinity places must agree exactly, floats within the tolerance of their dtype relative to the element (sums of products: to the element plus the tensor's rms).

  ops_against_torch.py [--keep FILE.mlir] [NAME…]      only the cases whose names start so
"""
import subprocess
import sys
import warnings

import torch
import torch.nn.functional as F

NAMES = {torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16", torch.int8: "i8", torch.int16: "i16",
         torch.int32: "i32", torch.int64: "i64", torch.uint8: "ui8", torch.bool: "i1"}
DTYPES = {name: dtype for dtype, name in NAMES.items()}
TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-12, torch.float16: 2e-3, torch.bfloat16: 1.6e-2}
SUMS = ("upsample", "conv", "linear", "matmul", "attention", "lstm", "gru")
CASES, COMPOSITE = [], []


def case(name, op, operands, expected):
    """`expected` is a tensor, several, or a function of the operands."""
    value = expected(*operands) if callable(expected) else expected
    CASES.append((name, op, operands, list(value) if isinstance(value, (tuple, list)) else [value]))


def composite(name, op, operands, expected):
    """A case of an op that Decompose takes apart."""
    case(name, op, operands, expected)
    COMPOSITE.append(CASES.pop())


def type_text(t):
    return "tensor<" + "".join(f"{n}x" for n in t.shape) + NAMES[t.dtype] + ">"


def list_text(t):
    if t.dim() == 0:
        return "true" if t.item() else "false"
    return "[" + ", ".join(list_text(x) for x in t) + "]"


def constant_text(t):
    if t.numel() == 0:
        return f"dense<> : {type_text(t)}"
    if t.dtype == torch.bool:
        return f"dense<{list_text(t)}> : {type_text(t)}"
    data = bytes(t.contiguous().view(torch.uint8).reshape(-1).tolist()) if t.dim() else bytes(t.reshape(1).view(torch.uint8).tolist())
    return f'dense<"0x{data.hex().upper()}"> : {type_text(t)}'


def function_text(number, op, operands, expected):
    lines = [f"  %{i} = graph.constant {constant_text(t)}" for i, t in enumerate(operands)]
    for i in reversed(range(len(operands))):
        op = op.replace(f"${i}", f"%{i}")
    types = ", ".join(type_text(t) for t in expected)
    results = "%r" if len(expected) == 1 else f"%r:{len(expected)}"
    values = "%r" if len(expected) == 1 else ", ".join(f"%r#{i}" for i in range(len(expected)))
    lines.append(f"  {results} = {op} : ({', '.join(type_text(t) for t in operands)}) -> ({types})")
    lines.append(f"  return {values} : {types}")
    return f"func.func @c{number}() -> ({types}) {{\n" + "\n".join(lines) + "\n}\n"


def parse(line):
    fields = line.split(" ")
    sizes = [int(n) for n in fields[3].split("x")] if fields[3] else []
    dtype = DTYPES[fields[2]]
    data = bytearray(bytes.fromhex(fields[4]))
    return torch.frombuffer(data, dtype=dtype).reshape(sizes) if data else torch.zeros(sizes, dtype=dtype)


def difference(found, expected, sums):
    """Why they differ; None where they agree."""
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return f"{type_text(found)} instead of {type_text(expected)}"
    if not expected.is_floating_point():
        wrong = found != expected
    else:
        a, b = found.double(), expected.double()
        finite = torch.isfinite(b)
        unit = b[finite].square().mean().sqrt() if sums and finite.any() else 1e-2
        close = torch.where(finite, (a - b).abs() <= TOLERANCE[expected.dtype] * (b.abs() + unit), (a == b) | (torch.isnan(a) & torch.isnan(b)))
        wrong = ~close
    if not wrong.any():
        return None
    return f"{int(wrong.sum())} of {wrong.numel()} differ: {found[wrong][:4].tolist()} instead of {expected[wrong][:4].tolist()}"


def run(cases, commands, keep):
    text = "".join(function_text(i, op, operands, expected) for i, (_, op, operands, expected) in enumerate(cases))
    if keep:
        open(keep, "w").write(text)
    for command in commands:
        process = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        if process.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit {process.returncode}\n{process.stderr[:4000]}")
        text = process.stdout
    results = {}
    for line in text.splitlines():
        results.setdefault(line.split(" ")[0], []).append(line)
    failures = []
    for i, (name, op, operands, expected) in enumerate(cases):
        lines = results.get(f"c{i}", [])
        if name.startswith("error."):
            if len(lines) != 1 or " error: " not in lines[0]:
                failures.append(f"{name}: no error but {lines[:1]}   ({op})")
            continue
        if len(lines) != len(expected) or " error: " in lines[0]:
            failures.append(f"{name}: {lines[:1] or 'no result'}")
            continue
        for number, (line, value) in enumerate(zip(lines, expected)):
            why = difference(parse(line), value, name.startswith(SUMS))
            if why:
                failures.append(f"{name} result {number}: {why}   ({op})")
    return failures


warnings.filterwarnings("ignore", message="var\\(\\): degrees of freedom")
torch.manual_seed(0)
FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
INTS = (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8)
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -3.0, 100.0, -100.0, 1e-4, -1e-4, 6.0, float("inf"), float("-inf"), float("nan"), 88.0, 20.5]


def dims(*values):
    return "[" + ", ".join(f"#graph.dim<{v}>" for v in values) + "]"


def ints(*values):
    return "[" + ", ".join(str(v) for v in values) + "]"


def arr(*values):
    return "array<i64: " + ", ".join(str(v) for v in values) + ">" if values else "array<i64>"


def random_of(dtype, *shape):
    if dtype == torch.bool:
        return torch.rand(*shape) > 0.5
    if dtype.is_floating_point:
        return torch.randn(*shape, dtype=torch.float64).mul(2).to(dtype)
    low, high = (0, 250) if dtype == torch.uint8 else (-120, 120)
    return torch.randint(low, high, shape, dtype=dtype)


def gelu(x):
    """Through double: eager's f32 kernel has errors of 1e-4 and gives NaN for inf."""
    return F.gelu(x.double()).to(x.dtype)


def pointwise_cases():
    unary = {"neg": torch.neg, "abs": torch.abs, "sign": torch.sign, "sqrt": torch.sqrt, "rsqrt": torch.rsqrt, "reciprocal": torch.reciprocal,
             "exp": torch.exp, "exp2": torch.exp2, "expm1": torch.expm1, "log": torch.log, "log2": torch.log2, "log10": torch.log10, "log1p": torch.log1p,
             "sin": torch.sin, "cos": torch.cos, "tan": torch.tan, "asin": torch.asin, "acos": torch.acos, "atan": torch.atan, "sinh": torch.sinh,
             "cosh": torch.cosh, "tanh": torch.tanh, "asinh": torch.asinh, "acosh": torch.acosh, "atanh": torch.atanh, "erf": torch.erf,
             "erfc": torch.erfc, "sigmoid": torch.sigmoid, "log_sigmoid": F.logsigmoid, "relu": torch.relu, "gelu": gelu, "silu": F.silu,
             "mish": F.mish, "softplus": F.softplus, "hardsigmoid": F.hardsigmoid, "hardswish": F.hardswish, "hardtanh": F.hardtanh,
             "leaky_relu": F.leaky_relu, "elu": F.elu, "softsign": F.softsign, "floor": torch.floor, "ceil": torch.ceil, "trunc": torch.trunc,
             "round": torch.round, "frac": torch.frac, "isnan": torch.isnan, "isinf": torch.isinf, "isfinite": torch.isfinite,
             "logical_not": torch.logical_not}
    for name, function in unary.items():
        for dtype in FLOATS:
            case(f"{name}.{NAMES[dtype]}", f"graph.{name} $0", [torch.tensor(EDGES, dtype=dtype)], function)
    for name in ("neg", "abs", "sign", "relu", "isnan", "isinf", "isfinite", "logical_not", "bitwise_not"):
        for dtype in INTS:
            case(f"{name}.{NAMES[dtype]}", f"graph.{name} $0", [random_of(dtype, 7)], getattr(torch, name))
    case("bitwise_not.i1", "graph.bitwise_not $0", [torch.tensor([True, False])], torch.bitwise_not)
    edges = torch.tensor(EDGES)
    case("gelu.tanh", "graph.gelu $0 {tanh}", [edges], lambda x: F.gelu(x, approximate="tanh"))
    case("softplus.beta", "graph.softplus $0 {beta = 2.0, threshold = 5.0}", [edges], lambda x: F.softplus(x, 2.0, 5.0))
    case("hardtanh.relu6", "graph.hardtanh $0 {min = 0.0, max = 6.0}", [edges], F.relu6)
    case("leaky_relu.slope", "graph.leaky_relu $0 {slope = 0.2}", [edges], lambda x: F.leaky_relu(x, 0.2))
    case("elu.selu", "graph.elu $0 {alpha = 1.6732632423543772, scale = 1.0507009873554805}", [edges], F.selu)
    case("elu.celu", "graph.elu $0 {alpha = 2.0, input_scale = 0.5}", [edges], lambda x: F.celu(x, 2.0))


def binary_cases():
    pairs = torch.tensor([(a, b) for a in EDGES for b in EDGES])
    left, right = pairs[:, 0].contiguous(), pairs[:, 1].contiguous()
    both = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "maximum": torch.maximum, "minimum": torch.minimum, "pow": torch.pow,
            "remainder": torch.remainder, "fmod": torch.fmod, "eq": torch.eq, "ne": torch.ne, "lt": torch.lt, "le": torch.le, "gt": torch.gt,
            "ge": torch.ge, "logical_and": torch.logical_and, "logical_or": torch.logical_or, "logical_xor": torch.logical_xor,
            "div_trunc": lambda a, b: torch.div(a, b, rounding_mode="trunc"), "div_floor": lambda a, b: torch.div(a, b, rounding_mode="floor")}
    floats = {"div": torch.div, "atan2": torch.atan2, "copysign": torch.copysign, "hypot": torch.hypot}
    for name, function in {**both, **floats}.items():
        for dtype in (torch.float32, torch.float64, torch.bfloat16):
            case(f"{name}.{NAMES[dtype]}", f"graph.{name} $0, $1", [left.to(dtype), right.to(dtype)], function)
    for name, function in both.items():
        for dtype in INTS:
            a, b = random_of(dtype, 5, 9), random_of(dtype, 9)
            b[b == 0] = 3
            case(f"{name}.{NAMES[dtype]}", f"graph.{name} $0, $1", [a, b if name != "pow" else b.abs() % 9], function)
    case("pow.negative", "graph.pow $0, $1", [torch.tensor([2, -1, 1, -2, -1]), torch.tensor([-1, -3, -5, -2, -2])], torch.pow)
    case("pow.large", "graph.pow $0, $1", [torch.tensor([3, 7]), torch.tensor([1000001, 62])], torch.pow)
    for name, function in {"bitwise_and": torch.bitwise_and, "bitwise_or": torch.bitwise_or, "bitwise_xor": torch.bitwise_xor}.items():
        for dtype in (*INTS, torch.bool):
            case(f"{name}.{NAMES[dtype]}", f"graph.{name} $0, $1", [random_of(dtype, 9), random_of(dtype, 9)], function)
    shifts = torch.tensor([0, 1, 7, 31, 3])
    for dtype in INTS:
        amounts = shifts.to(dtype) % (8 * torch.zeros((), dtype=dtype).element_size())
        case(f"shl.{NAMES[dtype]}", "graph.shl $0, $1", [random_of(dtype, 5), amounts], torch.bitwise_left_shift)
        case(f"shr.{NAMES[dtype]}", "graph.shr $0, $1", [random_of(dtype, 5), amounts], torch.bitwise_right_shift)
    a, b = random_of(torch.bool, 9), random_of(torch.bool, 9)
    case("add.i1", "graph.add $0, $1", [a, b], torch.add)
    case("mul.i1", "graph.mul $0, $1", [a, b], torch.mul)
    case("broadcast", "graph.add $0, $1", [torch.randn(3, 1, 5), torch.randn(4, 1)], torch.add)
    case("broadcast.empty", "graph.mul $0, $1", [torch.randn(3, 0, 5), torch.randn(1, 5)], torch.mul)
    case("broadcast.0d", "graph.sub $0, $1", [torch.randn(()), torch.randn(2)], torch.sub)
    case("where", "graph.where $0, $1, $2", [random_of(torch.bool, 3, 1), torch.randn(4), torch.tensor(float("nan"))], torch.where)
    x, low, high = torch.tensor(EDGES), torch.tensor(-0.5), torch.tensor(2.0)
    case("clamp", "graph.clamp $0 min $1 max $2", [x, low, high], torch.clamp)
    case("clamp.min", "graph.clamp $0 min $1", [x, low], lambda x, a: torch.clamp(x, min=a))
    case("clamp.max", "graph.clamp $0 max $1", [x, high], lambda x, a: torch.clamp(x, max=a))
    case("clamp.nan", "graph.clamp $0 min $1 max $2", [x, torch.tensor(float("nan")).expand(len(EDGES)), high.expand(len(EDGES))], torch.clamp)
    case("clamp.crossed", "graph.clamp $0 min $1 max $2", [x, high, low], torch.clamp)
    case("clamp.i32", "graph.clamp $0 min $1 max $2", [random_of(torch.int32, 9), torch.tensor(-5, dtype=torch.int32), torch.tensor(50, dtype=torch.int32)], torch.clamp)
    case("prelu", "graph.prelu $0, $1", [x, torch.tensor(0.25)], lambda x, w: F.prelu(x, w.reshape(1)))
    for source in (*FLOATS, *INTS, torch.bool):
        for target in (*FLOATS, *INTS, torch.bool):
            values = torch.tensor([0.0, -0.0, 1.0, -2.18, 2.5, 100.7, 1e-8, 3.3]).to(source) if source.is_floating_point else random_of(source, 8)
            case(f"cast.{NAMES[source]}.{NAMES[target]}", f"graph.cast $0 to {NAMES[target]}", [values], lambda x, target=target: x.to(target))
    case("cast.edges", "graph.cast $0 to i32", [torch.tensor([float("nan"), float("inf"), float("-inf"), 1e20])], lambda x: x.to(torch.int32))
    case("cast.nan.bool", "graph.cast $0 to i1", [torch.tensor([float("nan"), 0.0, -0.0])], lambda x: x.to(torch.bool))


def view_cases():
    x, y = torch.randn(2, 3, 4), torch.randint(0, 9, (4, 6))
    case("permute", "graph.permute $0 [2, 0, 1]", [x], lambda x: x.permute(2, 0, 1).contiguous())
    for shape in ((6, 4), (24,), (2, 12), (4, 6), (8, 3), (1, 2, 3, 1, 4), (3, 2, 2, 2)):
        case(f"reshape.{shape}", f"graph.reshape $0 to {dims(*shape)}", [x], lambda x, shape=shape: x.reshape(shape))
    case("reshape.empty", f"graph.reshape $0 to {dims(0, 7)}", [torch.zeros(2, 0)], lambda x: x.reshape(0, 7))
    case("reshape.0d", f"graph.reshape $0 to {dims()}", [torch.randn(1, 1)], lambda x: x.reshape(()))
    case("expand", f"graph.expand $0 to {dims(5, 2, 3, 4)}", [torch.randn(2, 1, 4)], lambda x: x.expand(5, 2, 3, 4).contiguous())
    case("slice", f"graph.slice $0 from {dims(0, 1, 1)} size {dims(2, 2, 2)} step [1, 1, 2]", [x], lambda x: x[:, 1:3, 1:4:2].contiguous())
    case("slice.empty", f"graph.slice $0 from {dims(2, 0)} size {dims(0, 6)} step [1, 1]", [y], lambda x: x[2:2])
    case("flip", "graph.flip $0 [0, 2]", [x], lambda x: x.flip(0, 2))
    case("roll", "graph.roll $0 by [1, -3] along [0, 2]", [x], lambda x: x.roll((1, -3), (0, 2)))
    case("pad", f"graph.pad $0, $1 low {dims(0, 1, -1)} high {dims(0, 2, 3)}", [x, torch.tensor(7.0)], lambda x, v: F.pad(x, (-1, 3, 1, 2), value=7.0))
    case("pad.crop", f"graph.pad $0, $1 low {dims(0, -1, -1)} high {dims(0, -1, 0)}", [x, torch.tensor(7.0)], lambda x, v: F.pad(x, (-1, 0, -1, -1)))
    z = torch.randn(1, 2, 5, 4)
    low, high = ints(0, 0, 2, 1), ints(0, 0, 3, 3)
    for mode in ("reflect", "replicate", "circular"):
        case(f"pad_{mode}", f"graph.pad_{mode} $0 low {low} high {high}", [z], lambda x, mode=mode: F.pad(x, (1, 3, 2, 3), mode=mode))
    case("pad_reflect.1d", "graph.pad_reflect $0 low [0, 0] high [0, 3]", [y], lambda x: F.pad(x[None].double(), (0, 3), mode="reflect")[0].long())
    case("concat", "graph.concat $0, $1, $2 dim 1", [torch.randn(2, 1), torch.randn(2, 0), torch.randn(2, 3)], lambda *t: torch.cat(t, 1))
    case("concat.one", "graph.concat $0 dim 0", [y], lambda x: x)
    for offset in (0, 1, -2, 9):
        case(f"diagonal.{offset}", f"graph.diagonal $0 {{offset = {offset} : i64, dim1 = 0 : i64, dim2 = 2 : i64}}", [torch.randn(4, 2, 3)],
             lambda x, o=offset: x.diagonal(o, 0, 2).contiguous())
        case(f"tril.{offset}", f"graph.tril $0 {{diagonal = {offset} : i64}}", [y], lambda x, o=offset: x.tril(o))
        case(f"triu.{offset}", f"graph.triu $0 {{diagonal = {offset} : i64}}", [x], lambda x, o=offset: x.triu(o))
    case("as_strided", f"graph.as_strided $0 sizes {dims(3, 4)} strides {dims(2, 3)} offset <1>", [x], lambda x: x.as_strided((3, 4), (2, 3), 1).contiguous())

    def scatter(base, value):
        result = base.clone()
        result[1:4:2, 2:5] = value
        return result
    case("slice_scatter", f"graph.slice_scatter $0, $1 from {dims(1, 2)} step [2, 1]", [y, -torch.arange(6).reshape(2, 3)], scatter)
    case("iota.i64", "graph.iota {start = #graph.dim<3>, step = #graph.dim<-2>, size = #graph.dim<5>, dtype = i64}", [], torch.arange(3, -7, -2))
    case("iota.f32", "graph.iota {start = 0.5, step = 0.1, size = #graph.dim<5>, dtype = f32}", [], torch.arange(0.5, 0.99, 0.1))
    case("iota.f32.int", "graph.iota {start = #graph.dim<2>, step = #graph.dim<3>, size = #graph.dim<4>, dtype = f32}", [], torch.arange(2.0, 13.0, 3.0))


def reduction_cases():
    x, e = torch.randn(3, 4, 5), torch.zeros(0, 3)
    nans = x.clone()
    nans[0, 1, 2] = float("nan")
    functions = {"sum": torch.sum, "mean": torch.mean, "amax": torch.amax, "amin": torch.amin, "logsumexp": torch.logsumexp}
    for name, function in functions.items():
        for data, tag in ((x, ""), (nans, ".nan"), (x.bfloat16(), ".bf16")):
            case(f"{name}{tag}", f"graph.{name} $0 [0, 2]", [data], lambda x, f=function: f(x, (0, 2)))
            case(f"{name}.keepdim{tag}", f"graph.{name} $0 [1] keepdim", [data], lambda x, f=function: f(x, (1,), keepdim=True))
    for name in ("sum", "mean", "logsumexp"):
        case(f"{name}.empty", f"graph.{name} $0 [0]", [e], lambda x, f=functions[name]: f(x, 0))
    case("logsumexp.inf", "graph.logsumexp $0 [1]", [torch.tensor([[float("-inf")] * 2, [float("inf"), 1.0]])], lambda x: torch.logsumexp(x, 1))
    case("prod", "graph.prod $0 [1]", [x], lambda x: x.prod(1))
    case("prod.i64", "graph.prod $0 [0]", [torch.tensor([3, -4, 5])], lambda x: x.prod(0))
    case("sum.i64", "graph.sum $0 [0]", [torch.tensor([3, -4, 5])], lambda x: x.sum(0))
    b = random_of(torch.bool, 4, 3)
    case("any", "graph.any $0 [1]", [b], lambda x: x.any(1))
    case("all", "graph.all $0 [0]", [b], lambda x: x.all(0))
    case("any.empty", "graph.any $0 [0]", [e.bool()], lambda x: x.any(0))
    case("all.empty", "graph.all $0 [0]", [e.bool()], lambda x: x.all(0))
    ties = torch.tensor([[1.0, 3.0, 3.0, 0.0], [0.0, 0.0, -1.0, -1.0], [float("nan"), 4.6, float("nan"), 5.0]])
    for name in ("argmax", "argmin"):
        case(f"{name}", f"graph.{name} $0 [1]", [ties], lambda x, n=name: getattr(x, n)(1))
        case(f"{name}.all", f"graph.{name} $0 [0, 1]", [ties[:2].contiguous()], lambda x, n=name: getattr(x, n)())
        case(f"{name}.i64", f"graph.{name} $0 [0] keepdim", [torch.tensor([[3, -4], [5, -4]])], lambda x, n=name: getattr(x, n)(0, keepdim=True))
    case("max_dim", "graph.max_dim $0 dim 1", [ties], lambda x: x.max(1))
    case("min_dim", "graph.min_dim $0 dim 0 keepdim", [ties], lambda x: x.min(0, keepdim=True))
    for correction in (0, 1, 2):
        case(f"var.{correction}", f"graph.var $0 [0, 2] {{correction = {correction}.0}}", [x], lambda x, c=correction: x.var((0, 2), correction=c))
    case("var.one", "graph.var $0 [0]", [torch.ones(1, 2)], lambda x: x.var(0))
    case("var.empty", "graph.var $0 [0]", [e], lambda x: x.var(0))
    case("cumsum", "graph.cumsum $0 dim 1", [nans], lambda x: x.cumsum(1))
    case("cumprod", "graph.cumprod $0 dim 2", [x], lambda x: x.cumprod(2))
    case("cumsum.i64", "graph.cumsum $0 dim 0", [torch.tensor([3, -4, 5])], lambda x: x.cumsum(0))


def normalization_cases():
    x, w, b = torch.randn(2, 6, 5), torch.randn(5), torch.randn(5)
    for dim in (0, 1, 2):
        case(f"softmax.{dim}", f"graph.softmax $0 dim {dim}", [x], lambda x, d=dim: x.softmax(d))
        case(f"log_softmax.{dim}", f"graph.log_softmax $0 dim {dim}", [x], lambda x, d=dim: x.log_softmax(d))
    case("softmax.inf", "graph.softmax $0 dim 1", [torch.tensor([[float("-inf")] * 3, [1.0, float("-inf"), 2.0], [1e38, -1.7e38, 3e38]])], lambda x: x.softmax(1))
    case("softmax.bf16", "graph.softmax $0 dim 1", [x.bfloat16()], lambda x: x.softmax(1))
    case("layer_norm", "graph.layer_norm $0 weight $1 bias $2 over 1 eps 1.0e-5", [x, w, b], lambda x, w, b: F.layer_norm(x, (5,), w, b))
    case("layer_norm.plain", "graph.layer_norm $0 over 2 eps 1.0e-3", [x], lambda x: F.layer_norm(x, (6, 5), eps=1e-3))
    far, equal = torch.randn(3, 64) * 0.01 + 100, torch.full((2, 7), -0.7312)  # judged against fp64
    case("layer_norm.far", "graph.layer_norm $0 over 1 eps 1.0e-5", [far], lambda x: F.layer_norm(x.double(), (64,)).float())
    case("layer_norm.equal", "graph.layer_norm $0 over 1 eps 1.0e-5", [equal], torch.zeros(2, 7))
    case("var.far", "graph.var $0 [1] {correction = 1.0}", [far], lambda x: x.double().var(1).float())
    case("rms_norm", "graph.rms_norm $0 weight $1 over 1 eps 1.0e-6", [x, w], lambda x, w: F.rms_norm(x, (5,), w, 1e-6))
    c = torch.randn(6), torch.randn(6)
    case("group_norm", "graph.group_norm $0 weight $1 bias $2 groups 3 eps 1.0e-5", [x, *c], lambda x, w, b: F.group_norm(x, 3, w, b))
    case("group_norm.2d", "graph.group_norm $0 groups 2 eps 1.0e-5", [torch.randn(2, 4, 3, 2)], lambda x: F.group_norm(x, 2))
    composite("group_norm.large", "graph.group_norm $0 weight $1 bias $2 groups 2 eps 1.0e-5", [torch.randn(2, 4, 64, 65), torch.randn(4), torch.randn(4)],
              lambda x, w, b: F.group_norm(x, 2, w, b))
    mean, var = torch.randn(6), torch.rand(6)
    case("batch_norm", "graph.batch_norm $0 mean $1 var $2 weight $3 bias $4 eps 1.0e-5", [x, mean, var, *c],
         lambda x, m, v, w, b: F.batch_norm(x, m, v, w, b))
    case("batch_norm.plain", "graph.batch_norm $0 mean $1 var $2 eps 1.0e-3", [x, mean, var], lambda x, m, v: F.batch_norm(x, m, v, eps=1e-3))


def contraction_cases():
    for dtype in FLOATS:
        x, w, b = (torch.randn(*s).to(dtype) for s in ((2, 3, 7), (5, 7), (5,)))
        case(f"linear.{NAMES[dtype]}", "graph.linear $0, $1 bias $2", [x, w, b], F.linear)
    case("linear.1d", "graph.linear $0, $1", [torch.randn(7), torch.randn(5, 7)], F.linear)
    case("linear.empty", "graph.linear $0, $1", [torch.randn(2, 0), torch.randn(5, 0)], F.linear)
    for a, b in (((3, 4), (4, 5)), ((2, 3, 4), (2, 4, 5)), ((2, 1, 3, 4), (7, 4, 5)), ((6, 3, 4), (4, 5)), ((1, 3, 4), (3, 4, 1))):
        case(f"matmul.{a}", "graph.matmul $0, $1", [torch.randn(a), torch.randn(b)], torch.matmul)
    case("matmul.i8", "graph.matmul $0, $1", [random_of(torch.int8, 2, 3, 4), random_of(torch.int8, 2, 4, 5)], torch.matmul)
    case("matmul.i64", "graph.matmul $0, $1", [random_of(torch.int64, 3, 4), random_of(torch.int64, 4, 5)], torch.matmul)
    convolve = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
    transpose = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}
    settings = [((2, 4, 9), (6, 4, 3), [2], [1], [1], 1), ((1, 4, 7, 6), (8, 2, 3, 2), [1, 2], [1, 0], [2, 1], 2), ((2, 4, 5, 5), (4, 1, 3, 3), [1, 1], [1, 1], [1, 1], 4),
                ((1, 2, 4, 5, 3), (3, 2, 2, 3, 1), [1, 2, 1], [1, 1, 0], [1, 1, 1], 1), ((1, 3, 6, 6), (4, 3, 1, 1), [1, 1], [0, 0], [1, 1], 1)]
    for number, (xs, ws, stride, padding, dilation, groups) in enumerate(settings):
        x, w, b = torch.randn(xs), torch.randn(ws), torch.randn(ws[0])
        lists = f"stride {ints(*stride)} padding {ints(*padding)} dilation {ints(*dilation)}"
        case(f"convolution.{number}", f"graph.convolution $0, $1 bias $2 {lists} {{groups = {groups} : i64}}", [x, w, b],
             lambda x, w, b, s=stride, p=padding, d=dilation, g=groups: convolve[len(s)](x, w, b, s, p, d, g))
        extra = [1 if s > 1 else 0 for s in stride]
        wt = torch.randn(xs[1], 2, *ws[2:])
        case(f"conv_transpose.{number}", f"graph.conv_transpose $0, $1 bias $2 {lists} output_padding {ints(*extra)} {{groups = {groups} : i64}}",
             [x, wt, torch.randn(2 * groups)],
             lambda x, w, b, s=stride, p=padding, d=dilation, g=groups, o=extra: transpose[len(s)](x, w, b, s, p, o, g, d))


def window_cases():
    pools = [((1, 2, 9), [3], [2], [1], [1]), ((2, 2, 7, 8), [3, 2], [2, 2], [1, 1], [1, 2]), ((1, 1, 4, 5, 6), [2, 2, 3], [1, 2, 2], [0, 1, 1], [1, 1, 1])]
    for number, (shape, kernel, stride, padding, dilation) in enumerate(pools):
        n = len(kernel)
        maximum, average = [(F.max_pool1d, F.avg_pool1d), (F.max_pool2d, F.avg_pool2d), (F.max_pool3d, F.avg_pool3d)][n - 1]
        x = torch.randn(shape)
        for ceil in (False, True):
            attributes = f"kernel = {arr(*kernel)}, stride = {arr(*stride)}, padding = {arr(*padding)}" + (", ceil_mode" if ceil else "")
            case(f"max_pool.{number}.{ceil}", f"graph.max_pool $0 {{{attributes}, dilation = {arr(*dilation)}}}", [x],
                 lambda x, m=maximum, k=kernel, s=stride, p=padding, d=dilation, c=ceil: m(x, k, s, p, d, c))
            case(f"max_pool_with_indices.{number}.{ceil}", f"graph.max_pool_with_indices $0 {{{attributes}, dilation = {arr(*dilation)}}}", [x.round()],
                 lambda x, m=maximum, k=kernel, s=stride, p=padding, d=dilation, c=ceil: m(x, k, s, p, d, c, return_indices=True))
            for count in (False, True):
                case(f"avg_pool.{number}.{ceil}.{count}", f"graph.avg_pool $0 {{{attributes}{', count_include_pad' if count else ''}}}", [x],
                     lambda x, a=average, k=kernel, s=stride, p=padding, c=ceil, i=count: a(x, k, s, p, c, i))
    five = torch.arange(1.0, 6.0).reshape(1, 1, 5)
    case("avg_pool.ceil", f"graph.avg_pool $0 {{kernel = {arr(3)}, stride = {arr(3)}, padding = {arr(0)}, ceil_mode, count_include_pad}}", [five],
         lambda x: F.avg_pool1d(x, 3, 3, 0, True))
    case("avg_pool.divisor", f"graph.avg_pool $0 {{kernel = {arr(2, 2)}, stride = {arr(1, 1)}, padding = {arr(0, 0)}, divisor = 3 : i64}}",
         [torch.randn(1, 1, 3, 3)], lambda x: F.avg_pool2d(x, 2, 1, divisor_override=3))
    inf = torch.full((1, 1, 4), float("-inf"))
    nan = torch.tensor([[[1.0, float("nan"), 3.0, 2.0]]])
    for tag, data in (("inf", inf), ("nan", nan)):
        case(f"max_pool_with_indices.{tag}", f"graph.max_pool_with_indices $0 {{kernel = {arr(2)}, stride = {arr(2)}, padding = {arr(1)}, dilation = {arr(1)}}}", [data],
             lambda x: F.max_pool1d(x, 2, 2, 1, return_indices=True))
    case("max_pool.i64", f"graph.max_pool $0 {{kernel = {arr(2, 2)}, stride = {arr(2, 2)}, padding = {arr(1, 1)}, dilation = {arr(1, 1)}}}", [random_of(torch.int64, 1, 1, 5, 5)],
         lambda x: F.max_pool2d(x, 2, 2, 1))
    x = torch.randn(2, 3, 7, 5)
    for size in ((3, 2), (1, 1), (7, 5), (9, 4)):
        case(f"adaptive_avg_pool.{size}", f"graph.adaptive_avg_pool $0 {{output_size = {dims(*size)}}}", [x], lambda x, s=size: F.adaptive_avg_pool2d(x, s))
        case(f"adaptive_max_pool.{size}", f"graph.adaptive_max_pool $0 {{output_size = {dims(*size)}}}", [x], lambda x, s=size: F.adaptive_max_pool2d(x, s))
        case(f"adaptive_max_pool_with_indices.{size}", f"graph.adaptive_max_pool_with_indices $0 {{output_size = {dims(*size)}}}", [x],
             lambda x, s=size: F.adaptive_max_pool2d(x, s, return_indices=True))
    for size in ((14, 10), (21, 15), (3, 4), (7, 5), (10, 13), (70, 49)):
        out = f"output_size = {dims(*size)}"
        case(f"upsample_nearest.{size}", f"graph.upsample_nearest $0 {{{out}}}", [x], lambda x, s=size: F.interpolate(x, s))
        case(f"upsample_nearest.exact.{size}", f"graph.upsample_nearest $0 {{{out}, exact}}", [x], lambda x, s=size: F.interpolate(x, s, mode="nearest-exact"))
        for align in (False, True):
            suffix = ", align_corners" if align else ""
            case(f"upsample_linear.{size}.{align}", f"graph.upsample_linear $0 {{{out}{suffix}}}", [x],
                 lambda x, s=size, a=align: F.interpolate(x, s, mode="bilinear", align_corners=a))
            case(f"upsample_bicubic.{size}.{align}", f"graph.upsample_bicubic $0 {{{out}{suffix}}}", [x],
                 lambda x, s=size, a=align: F.interpolate(x, s, mode="bicubic", align_corners=a))
    for factor in (1.7, 2.0, 3.0, 0.6):
        sizes = [int(n * factor) for n in (7, 5)]
        out = f"output_size = {dims(*sizes)}, scales = array<f64: {factor}, {factor}>"
        case(f"upsample_nearest.by.{factor}", f"graph.upsample_nearest $0 {{{out}}}", [x], lambda x, f=factor: F.interpolate(x, scale_factor=f))
        case(f"upsample_linear.by.{factor}", f"graph.upsample_linear $0 {{{out}}}", [x], lambda x, f=factor: F.interpolate(x, scale_factor=f, mode="bilinear"))
    case("upsample_linear.1d", f"graph.upsample_linear $0 {{output_size = {dims(11)}}}", [torch.randn(1, 2, 4)], lambda x: F.interpolate(x, 11, mode="linear"))
    case("upsample_linear.3d", f"graph.upsample_linear $0 {{output_size = {dims(5, 4, 3)}}}", [torch.randn(1, 2, 3, 4, 2)], lambda x: F.interpolate(x, (5, 4, 3), mode="trilinear"))


def gather_cases():
    table, ids = torch.randn(9, 4), torch.tensor([[0, 8, 3], [3, 1, 0]])
    case("embedding", "graph.embedding $0, $1", [table, ids], lambda w, i: F.embedding(i, w))
    case("embedding.i32", "graph.embedding $0, $1", [table, ids.int()], lambda w, i: F.embedding(i, w))
    case("index_select", "graph.index_select $0, $1 dim 1", [table, torch.tensor([3, 0, 3])], lambda x, i: x.index_select(1, i))
    case("index_select.0d", "graph.index_select $0, $1 dim 0", [table, torch.tensor(5)], lambda x, i: x.index_select(0, i))
    case("gather", "graph.gather $0, $1 dim 1", [table, torch.tensor([[0, 3], [1, 1]])], lambda x, i: x.gather(1, i))
    x = torch.randn(3, 4, 5)
    a, b = torch.tensor([0, -1, 1]), torch.tensor([[2], [-5]])
    case("index.first", "graph.index $0[$1] at [0]", [x, a], lambda x, a: x[a])
    case("index.adjacent", "graph.index $0[$1, $2] at [1, 2]", [x, a, b], lambda x, a, b: x[:, a, b])
    case("index.apart", "graph.index $0[$1, $2] at [0, 2]", [x, a, b], lambda x, a, b: x[a, :, b])


def error_cases():
    """What eager refuses when it runs: indices outside their dim, integer division by zero. The tensors only say the result's type."""
    table, row = torch.randn(9, 4), torch.zeros(1, 4)
    for bad in (-2, 9):
        case(f"error.embedding.{bad}", "graph.embedding $0, $1", [table, torch.tensor([bad])], row)
        case(f"error.index_select.{bad}", "graph.index_select $0, $1 dim 0", [table, torch.tensor([bad])], row)
        case(f"error.gather.{bad}", "graph.gather $0, $1 dim 0", [table, torch.tensor([[bad] * 4])], row)
    for bad in (-10, 9):
        case(f"error.index.{bad}", "graph.index $0[$1] at [0]", [table, torch.tensor([bad])], row)
    ones, zeros = torch.ones(2, dtype=torch.int64), torch.zeros(2, dtype=torch.int64)
    for op in ("div_trunc", "div_floor", "remainder", "fmod"):
        case(f"error.{op}", f"graph.{op} $0, $1", [ones, zeros], ones)


def composite_cases():
    """Ops that only exist before Decompose."""
    q, k, v = torch.randn(2, 4, 5, 8), torch.randn(2, 4, 7, 8), torch.randn(2, 4, 7, 6)
    attend = "graph.scaled_dot_product_attention $0, $1, $2"
    sdpa = F.scaled_dot_product_attention
    composite("attention", attend, [q, k, v], sdpa)
    composite("attention.scale", f"{attend} scale 0.3", [q, k, v], lambda q, k, v: sdpa(q, k, v, scale=0.3))
    composite("attention.causal", f"{attend} causal", [q, k, v], lambda q, k, v: sdpa(q, k, v, is_causal=True))
    composite("attention.mask", f"{attend} mask $3", [q, k, v, torch.randn(5, 7)], lambda q, k, v, m: sdpa(q, k, v, m))
    composite("attention.bool", f"{attend} mask $3", [q, k, v, torch.rand(2, 1, 5, 7) > 0.4], lambda q, k, v, m: sdpa(q, k, v, m))
    composite("attention.2d", attend, [q[0, 0].contiguous(), k[0, 0].contiguous(), v[0, 0].contiguous()], sdpa)
    few = [k[:, :2].contiguous(), v[:, :2].contiguous()]
    composite("attention.gqa", f"{attend} gqa", [q, *few], lambda q, k, v: sdpa(q, k, v, enable_gqa=True))
    x, h, c = torch.randn(3, 5), torch.randn(3, 4), torch.randn(3, 4)
    for biases in (False, True):
        for gates, name, module in ((4, "lstm", torch.nn.LSTMCell), (3, "gru", torch.nn.GRUCell)):
            cell = module(5, 4, bias=biases)
            weights = [w.detach() for w in cell.parameters()]
            states = [h, c] if gates == 4 else [h]
            names = [f"${i}" for i in range(1 + len(states) + len(weights))]
            n = 1 + len(states)
            op = f"graph.{name}_cell $0 state {', '.join(names[1:n])} weights {names[n]}, {names[n + 1]}" + (f" biases {names[n + 2]}, {names[n + 3]}" if biases else "")
            expected = cell(x, (h, c)) if gates == 4 else cell(x, h)
            composite(f"{name}_cell.{biases}", op, [x, *states, *weights], [t.detach() for t in expected] if gates == 4 else expected.detach())
    for layers, bidirectional, batch_first, biases in ((1, False, False, True), (2, True, True, True), (2, False, True, False)):
        for name, module in (("lstm", torch.nn.LSTM), ("gru", torch.nn.GRU)):
            rnn = module(5, 4, layers, bias=biases, batch_first=batch_first, bidirectional=bidirectional)
            weights = [w.detach() for w in rnn.parameters()]
            first = torch.randn(3, 6, 5) if batch_first else torch.randn(6, 3, 5)
            states = [torch.randn(layers * (2 if bidirectional else 1), 3, 4) for _ in range(2 if name == "lstm" else 1)]
            names = [f"${i}" for i in range(1 + len(states) + len(weights))]
            flags = "".join(f", {flag}" for flag, on in (("biases", biases), ("bidirectional", bidirectional), ("batch_first", batch_first)) if on)
            op = f"graph.{name} $0 state {', '.join(names[1:1 + len(states)])} weights {', '.join(names[1 + len(states):])} {{layers = {layers} : i64{flags}}}"
            y, last = rnn(first, tuple(states) if name == "lstm" else states[0])
            results = [y, *last] if name == "lstm" else [y, last]
            composite(f"{name}.{layers}.{bidirectional}.{batch_first}", op, [first, *states, *weights], [t.detach().contiguous() for t in results])


def facts_of(matrices):
    """Determinant, logarithm of its size, sign, 0 for no zero pivot, as graph.eliminate gives them."""
    sign, size = torch.linalg.slogdet(matrices)
    return torch.stack([torch.linalg.det(matrices), size, sign, torch.zeros_like(sign)], -1).unsqueeze(-2)


def routine_cases():
    """Scans, orders and scattered writes in every dtype, along inner and outer dims, over sizes 0 and 1."""
    for dtype in (*FLOATS, *INTS):
        x, name = random_of(dtype, 3, 5, 2), NAMES[dtype]
        if dtype.is_floating_point:
            x[1, 2, 0] = x[2, 0, 1] = float("nan")
        composite(f"routine.cumsum.{name}", "graph.cumsum $0 dim 1", [x], lambda t: t.cumsum(1, dtype=t.dtype))
        composite(f"routine.cumprod.{name}", "graph.cumprod $0 dim 2", [x], lambda t: t.cumprod(2, dtype=t.dtype))
        composite(f"routine.cummax.{name}", "graph.cummax $0 dim 1", [x], lambda t: list(t.cummax(1)))
        composite(f"routine.cummin.{name}", "graph.cummin $0 dim 0", [x], lambda t: list(t.cummin(0)))
        composite(f"routine.sort.{name}", "graph.sort $0 dim 1 descending", [x], lambda t: [v.contiguous() for v in t.sort(dim=1, descending=True, stable=True)])
        base, source = random_of(dtype, 4, 5, 2), random_of(dtype, 3, 5, 2)
        composite(f"routine.scatter.{name}", "graph.scatter $0, $1, $2 dim 0 sum", [base, torch.randint(0, 4, (3, 5, 2)), source], lambda b, i, s: b.scatter_add(0, i, s))
        composite(f"routine.index_copy.{name}", "graph.index_copy $0, $1, $2 dim 1", [base, torch.tensor([3, 0], dtype=torch.int32), base[:, :2].contiguous()],
                  lambda b, i, s: b.index_copy(1, i.long(), s))
    wide = torch.randn(2, 300)
    composite("routine.logcumsumexp", "graph.logcumsumexp $0 dim 1", [wide * 50], lambda t: t.logcumsumexp(1))
    composite("routine.logcumsumexp.edges", "graph.logcumsumexp $0 dim 0", [torch.tensor([float("-inf"), float("-inf"), 1.0, 700.0, float("inf")])], lambda t: t.logcumsumexp(0))
    composite("routine.topk.long", "graph.topk $0 k 3 dim 1", [wide], lambda t: t.topk(3, 1))
    for n in (0, 1, 5):
        square, right = torch.randn(2, n, n, dtype=torch.float64), torch.randn(2, n, 3, dtype=torch.float64)
        composite(f"routine.eliminate.{n}", "graph.eliminate $0 pivot", [torch.cat([square, right], 2)], lambda t: [torch.linalg.solve(t[..., :-3], t[..., -3:]), facts_of(t[..., :-3])])
        composite(f"routine.eliminate.lower.{n}", "graph.eliminate $0", [torch.cat([square.tril() + 3 * torch.eye(n), right], 2)],
                  lambda t: [torch.linalg.solve_triangular(t[..., :-3], t[..., -3:], upper=False), facts_of(t[..., :-3])])
        composite(f"routine.cholesky.{n}", "graph.cholesky $0", [square @ square.mT + torch.eye(n)], lambda t: [torch.linalg.cholesky(t), torch.zeros(2, 1, 1, dtype=torch.float64)])
    for shape in ((3, 0), (0, 4), (1, 1)):
        composite(f"routine.cumsum.{shape}", "graph.cumsum $0 dim 1", [torch.randn(shape)], lambda t: t.cumsum(1))
        composite(f"routine.sort.{shape}", "graph.sort $0 dim 1", [torch.randn(shape)], lambda t: list(t.sort(dim=1, stable=True)))
        composite(f"routine.scatter.{shape}", "graph.scatter $0, $1, $2 dim 1 none", [torch.randn(shape), torch.zeros(shape, dtype=torch.int64), torch.randn(shape)],
                  lambda b, i, s: b.scatter(1, i, s))


def indexing_cases():
    """Scattered writes and orders, which Decompose expresses in comparisons and reductions."""
    base, source = torch.randn(4, 5, 3), torch.randn(4, 6, 3)
    indices = torch.randint(0, 5, (4, 6, 3))
    few = torch.randint(0, 5, (2, 7, 2))
    reduces = {"sum": "sum", "prod": "prod", "amax": "amax", "amin": "amin", "mean": "mean"}
    composite("scatter", "graph.scatter $0, $1, $2 dim 1 none", [base, indices, source], lambda b, i, s: b.scatter(1, i, s))
    composite("scatter.few", "graph.scatter $0, $1, $2 dim 1 none", [base, few, torch.randn(3, 8, 2)], lambda b, i, s: b.scatter(1, i, s))
    composite("scatter.zero", "graph.scatter $0, $1, $2 dim 0 none", [torch.ones(3), torch.tensor([1]), torch.tensor([-0.0])], lambda b, i, s: b.scatter(0, i, s))
    composite("scatter.empty", "graph.scatter $0, $1, $2 dim 0 none", [torch.ones(3), torch.zeros(0, dtype=torch.int64), torch.zeros(0)], lambda b, i, s: b.scatter(0, i, s))
    for name, reduce in reduces.items():
        for exclude in (False, True):
            op = f"graph.scatter $0, $1, $2 dim 1 {name}{' exclude_self' if exclude else ''}"
            composite(f"scatter.{name}.{exclude}", op, [base, indices, source], lambda b, i, s, r=reduce, x=exclude: b.scatter_reduce(1, i, s, r, include_self=not x))
            whole = [random_of(torch.int64, 5), torch.tensor([0, 4, 4, 0, 2, 2, 2]), random_of(torch.int64, 7)]
            composite(f"scatter.{name}.{exclude}.i64", op.replace("dim 1", "dim 0"), whole,
                      lambda b, i, s, r=reduce, x=exclude: b.scatter_reduce(0, i, s, r, include_self=not x))
    rows, added = torch.tensor([2, 0, 2]), torch.randn(3, 5, 3)
    composite("index_add", "graph.index_add $0, $1, $2 dim 0", [base, rows, added], lambda b, i, s: b.index_add(0, i, s))
    composite("index_copy", "graph.index_copy $0, $1, $2 dim 1", [base, torch.tensor([4, 1]), base[:, :2].contiguous()], lambda b, i, s: b.index_copy(1, i, s))
    for accumulate in (False, True):
        flag = " accumulate" if accumulate else ""
        a, b = torch.tensor([0, -1, 1]), torch.tensor([[2], [-5]])
        composite(f"index_put.first{flag}", f"graph.index_put $0, $1[$2] at [0]{flag}", [base, torch.randn(5, 3), a],
                  lambda x, v, a, k=accumulate: x.index_put((a,), v, k))
        composite(f"index_put.two{flag}", f"graph.index_put $0, $1[$2, $3] at [0, 1]{flag}", [base, torch.randn(2, 3, 3), a, b],
                  lambda x, v, a, b, k=accumulate: x.index_put((a, b), v, k))
        composite(f"index_put.apart{flag}", f"graph.index_put $0, $1[$2, $3] at [0, 2]{flag}", [base, torch.randn(2, 3, 5), a, b % 3],
                  lambda x, v, a, b, k=accumulate: torch.ops.aten.index_put(x, [a, None, b], v, k))
        composite(f"index_put.later{flag}", f"graph.index_put $0, $1[$2] at [2]{flag}", [base, torch.tensor(7.0), torch.tensor([1, 1])],
                  lambda x, v, a, k=accumulate: torch.ops.aten.index_put(x, [None, None, a], v, k))
    x = torch.randn(3, 7, 2)
    x[0, 2, 0] = x[1, 5, 1] = float("nan")
    x[0, 1, 0] = x[0, 4, 0] = float("inf")
    ties = torch.tensor([[3, 1, 3, 2, 1], [0, 0, 0, 0, 0]])
    for descending in (False, True):
        flag = " descending" if descending else ""
        for name, data, dim in (("f32", x, 1), ("i64", ties, 1), ("bool", ties > 1, 1), ("rows", ties, 0)):
            composite(f"sort.{name}{flag}", f"graph.sort $0 dim {dim}{flag}", [data], lambda t, d=dim, r=descending: [v.contiguous() for v in t.sort(dim=d, descending=r, stable=True)])
    distinct = torch.randperm(24).reshape(4, 6).float()
    composite("topk", "graph.topk $0 k 3 dim 1", [distinct], lambda t: t.topk(3, 1))
    composite("topk.smallest", "graph.topk $0 k 2 dim 0 smallest", [distinct], lambda t: [v.contiguous() for v in t.topk(2, 0, largest=False)])
    for bad in (-1, 5):
        composite(f"error.scatter.{bad}", "graph.scatter $0, $1, $2 dim 0 none", [torch.ones(5), torch.tensor([bad]), torch.ones(1)], torch.ones(5))
        composite(f"error.index_add.{bad}", "graph.index_add $0, $1, $2 dim 0", [torch.ones(5), torch.tensor([bad]), torch.ones(1)], torch.ones(5))
    composite("error.index_put", "graph.index_put $0, $1[$2] at [0]", [torch.ones(5), torch.ones(1), torch.tensor([-6])], torch.ones(5))


for group in (error_cases, routine_cases, indexing_cases, composite_cases, pointwise_cases, binary_cases, view_cases, reduction_cases, normalization_cases, contraction_cases, window_cases, gather_cases):
    group()


def main(arguments):
    keep = None
    if arguments[:1] == ["--keep"]:
        keep, arguments = arguments[1], arguments[2:]
    outline = ["graphc-opt", "-", "--graphc-decompose", "--graphc-fuse-kernels", "--graphc-outline-kernels"]
    compare = ["graphc-opt", "-", "--graphc-decompose=routines=false", "--graphc-fuse-kernels", "--graphc-outline-kernels"]
    total = 0
    scattered = [c for c in COMPOSITE if c[0].startswith(("scatter", "sort", "topk", "index_", "error."))]
    for title, chosen, commands in (("ops", CASES, [["graphc-eval", "-"]]), ("without routines", scattered, [compare, ["graphc-eval", "-"]]),
                                    ("outlined kernels", CASES + COMPOSITE, [outline, ["graphc-eval", "-"]])):
        cases = [c for c in chosen if not arguments or any(c[0].startswith(a) for a in arguments)]
        failures = run(cases, commands, keep)
        print("".join(f"{failure}\n" for failure in failures) + f"{title}: {len(cases)} cases, {len(failures)} failures")
        total += len(failures)
    return 1 if total or not cases else 0 # cases: of the last round, which has all


sys.exit(main(sys.argv[1:]))
