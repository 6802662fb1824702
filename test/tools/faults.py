# Faults that were seen in other graph compilers, each as a small model through the whole path: the compiled program gives eager's values, also with symbolic
# dims, or the error that eager raises, with the operator's line.
# REQUIRES: graphc, torch, python-torch
# RUN: rm -rf %t && mkdir %t && cd %t && %python %s
import pathlib
import sys
import warnings

import torch
import torch.nn.functional as F

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))
from fault_cases import Cases

warnings.filterwarnings("ignore")
nan, inf = float("nan"), float("inf")
cases = Cases(__file__)
case = cases.traced

# Types
i8 = torch.randint(-100, 100, (2, 3, 4), dtype=torch.int8)
case("int8 batched product stays int8", lambda a: torch.bmm(a, a.mT), i8)
case("cumsum of bools in bf16", lambda x: x.cumsum(0, dtype=torch.bfloat16), torch.ones(5, dtype=torch.bool))
case("int64 times a Python float is f32", lambda x: x * 2.0, torch.arange(4))
case("int64 times a 0-d f64 tensor is f64", lambda x, y: x * y, torch.arange(4), torch.tensor(2.5, dtype=torch.float64))
case("any of uint8 is uint8", lambda x: x.any() * 200 + 100, torch.tensor([0, 3], dtype=torch.uint8))
case("neg of uint8 wraps", lambda x: x.neg() < 4, torch.tensor([6, 255], dtype=torch.uint8))
case("uint8 sums wrap", lambda x: (x + x).to(torch.int16), torch.tensor([128, 3], dtype=torch.uint8))
case("a float out of range as uint8", lambda x: x.to(torch.uint8), torch.tensor([-2.18, 3.7, 255.9]), expected=torch.tensor([254, 3, 255], dtype=torch.uint8))
case("floats out of range as int32 and int64", lambda x: (x.int(), x.long()), torch.tensor([nan, inf, -inf, 3e9, -3e9]),
     expected=(torch.tensor([-2**31] * 5, dtype=torch.int32), torch.tensor([-2**63] * 3 + [3000000000, -3000000000])))

case("1 - bool is refused", lambda x: torch.rsub(x, 1), torch.tensor([True, False]), error="bool", traced=(torch.tensor([1, 0]),))
case("complex numbers are refused by name", lambda x: torch.complex(x, x) + torch.complex(x, x), torch.ones(2), error="complex")

# Integers
for name, function in {"floor_divide": torch.floor_divide, "remainder": torch.remainder, "fmod": torch.fmod,
                       "div trunc": lambda a, b: torch.div(a, b, rounding_mode="trunc")}.items():
    case(f"{name} by zero", function, torch.tensor([7, 8]), torch.tensor([2, 0]), error="by zero", traced=(torch.tensor([7, 8]), torch.tensor([2, 1])))



class LargeSum(torch.nn.Module):
    def forward(self, x):
        return x.expand(65537, 65537).sum()


cases.scripted("a sum of more than 2^32 elements", LargeSum(), torch.ones(1, dtype=torch.uint8), expected=torch.tensor(65537 * 65537))

# Floats
both = torch.tensor([nan, 1.0, nan]), torch.tensor([1.0, nan, nan])
case("maximum and minimum keep NaN from either side", lambda a, b: (torch.maximum(a, b), torch.minimum(a, b), a.clamp_min(0.5), b.clamp_max(0.5)), *both)
case("relu keeps -0", torch.relu, torch.tensor([-0.0, 0.0, -1.0]), expected=torch.tensor([-0.0, 0.0, 0.0]))
case("softmax of huge scores", lambda x: torch.softmax(x * -1.7e14, -1), torch.randn(2, 5))
case("argmax with NaN", lambda x: (x.argmax(), x.argmin()), torch.tensor([nan, 4.6]))
case("argmin of ties", lambda x: (x.argmin(), x.argmax()), torch.tensor([2.0, 1.0, 1.0, 2.0]))
case("var_mean of nothing", lambda x: torch.var_mean(x[:0]), torch.randn(3))
case("casts round", lambda x: x.half().float(), torch.tensor([1.0001, 65519.0, 1e-8, 0.1]))
masked = torch.tensor([[True, False], [False, False]])
case("attention without anything to attend", lambda q, m: F.scaled_dot_product_attention(q, q, q, attn_mask=m), torch.randn(1, 1, 2, 4), masked, symbolic={0: (2,), 1: (0, 1)})

# Convolution, pooling, resize
ramp = torch.arange(1.0, 6.0).reshape(1, 1, 5)
case("avg_pool with a ceiling", lambda x: F.avg_pool1d(x, 3, 3, ceil_mode=True), ramp, expected=torch.tensor([[[2.0, 4.5]]]))
case("max_pool with a ceiling", lambda x: F.max_pool1d(-x, 3, 3, ceil_mode=True), ramp)
case("max_pool with a ceiling and padding", lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True), torch.randn(1, 2, 6, 6) - 5)
case("conv_transpose with output padding", lambda x, w: F.conv_transpose2d(x, w, None, 3, 1, 2), torch.randn(1, 2, 4, 4), torch.randn(2, 3, 3, 3), symbolic=False)
case("conv_transpose to nothing", lambda x, w: F.conv_transpose2d(x, w, None, 1, 2), torch.randn(1, 2, 3, 3), torch.randn(2, 3, 2, 2), error="0 elements", symbolic=False,
     traced=(torch.randn(1, 2, 4, 4), torch.randn(2, 3, 2, 2)))
norm = torch.nn.BatchNorm2d(2).eval().requires_grad_(False)
case("a norm and a negative pad", lambda x: F.pad(norm(x), (-1, -1, -1, 0)), torch.randn(1, 2, 4, 5), symbolic={0: (2, 3)})

# Indexing
table, zero = torch.randn(5, 3), torch.tensor([0])
for bad in (-2, 5):
    case(f"embedding {bad}", lambda i, w: F.embedding(i, w), torch.tensor([bad]), table, error=f"index {bad}", traced=(zero, table))
    case(f"index_select {bad}", lambda w, i: w.index_select(0, i), table, torch.tensor([bad]), error=f"index {bad}", traced=(table, zero))
    case(f"gather {bad}", lambda w, i: w.gather(0, i), table, torch.tensor([[bad]]), error=f"index {bad}", traced=(table, zero[None]))
    case(f"scatter {bad}", lambda w, i, s: w.scatter(0, i, s), table, torch.tensor([[bad]]), table, error=f"index {bad}", traced=(table, zero[None], table))
    case(f"scatter_reduce {bad}", lambda w, i, s: w.scatter_reduce(0, i, s, "amax"), table, torch.tensor([[bad]]), table, error=f"index {bad}",
         traced=(table, zero[None], table))
    case(f"index_add {bad}", lambda w, i, s: w.index_add(0, i, s), table, torch.tensor([bad]), table[:1], error=f"index {bad}", traced=(table, zero, table[:1]))
    case(f"index_copy {bad}", lambda w, i, s: w.index_copy(0, i, s), table, torch.tensor([bad]), table[:1], error=f"index {bad}", traced=(table, zero, table[:1]))
    case(f"nll_loss {bad}", lambda w, t: F.nll_loss(w, t), table[:1], torch.tensor([bad]), error=f"index {bad}", traced=(table[:1], zero))
for bad in (-6, 5):
    case(f"index {bad}", lambda w, i: w[i], table, torch.tensor([bad]), error=f"index {bad}", traced=(table, zero))
    case(f"index_put {bad}", lambda w, i: w.index_put((i,), w[:1]), table, torch.tensor([bad]), error=f"index {bad}", traced=(table, zero))
    case(f"take {bad * 3}", lambda w, i: w.take(i), table, torch.tensor([bad * 3]), error=f"index {bad * 3}", traced=(table, zero))
case("the last row by a list", lambda x: x[:, [-1], :], torch.randn(2, 3, 4))
case("searchsorted in a slice", lambda o, v: torch.searchsorted(o[1:], v), torch.tensor([0, 3, 5, 9]), torch.tensor([0, 4, 9, 10]))
case("index_put with duplicates", lambda w, i, v: (w.index_put((i,), v, accumulate=True), w.index_add(0, i, v)), table, torch.tensor([1, 1, 4]), torch.randn(3, 3))

cases.finish(55)
