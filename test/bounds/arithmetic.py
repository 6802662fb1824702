"""Integer division by zero is an error that names the operator and its line; casts of floats out of range give what eager gives on x86.

  arithmetic.py [TestCase.method]        with the package graphc on PYTHONPATH
"""
import io
import pathlib
import sys
import unittest

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "conformance")]
import graphc
import models
from files import traced

INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
inf, nan = float("inf"), float("nan")


def contexts(function, *tensors, symbolic=(False, True)):
    """Compiled for both levels, where this machine has them, and without fusion."""
    data = traced(function, tensors)
    levels = [level for level in ("x86-64-v3", "x86-64-v4") if has(level)]
    for varies in symbolic:
        for opt in ("default", "none"):
            for level in levels:
                model = graphc.compile(data, inputs=[models.spec(t, varies) for t in tensors], target=f"cpu:{level}", opt=opt)
                yield f"{'symbolic' if varies else 'static'} -O {opt} {level}", model.context(arena=False)


def has(level):
    return level == "x86-64-v3" or "avx512f" in pathlib.Path("/proc/cpuinfo").read_text()


def floor_into(a, b):
    c = a.clone()
    return c.floor_divide_(b)


DIVISIONS = {"floor_divide": lambda a, b: torch.floor_divide(a, b), "remainder": lambda a, b: torch.remainder(a, b), "fmod": lambda a, b: torch.fmod(a, b),
             "trunc": lambda a, b: torch.div(a, b, rounding_mode="trunc"), "floor": lambda a, b: torch.div(a, b, rounding_mode="floor"), "in place": floor_into, "fused": lambda a, b: (a + 1) % (b * 2) - a // b}


class Division(unittest.TestCase):
    def test_by_zero_is_an_error(self):
        for dtype in INTEGERS:
            for name, function in DIVISIONS.items():
                a, right = torch.arange(1, 68).to(dtype), torch.full((67,), 3, dtype=dtype)
                for how, context in contexts(function, a, right, symbolic=(False,) if dtype != torch.int64 else (False, True)):
                    for at in (0, 31, 66):
                        b = right.clone()
                        b[at] = 0
                        with self.subTest(dtype=dtype, name=name, how=how, at=at), self.assertRaises(graphc.RunError) as raised:
                            context(a, b)
                        self.assertEqual((raised.exception.status, raised.exception.code), ("GRAPHC_ERROR_RUN", 2), str(raised.exception))
                        self.assertTrue(raised.exception.file.endswith("arithmetic.py") and raised.exception.line and raised.exception.op)
                    with self.subTest(dtype=dtype, name=name, how=how):
                        self.assertTrue(torch.equal(context(a, right), function(a, right)))

    def test_by_a_constant_zero_is_an_error(self):
        for name, function in {"floor_divide": lambda a: a // (a.sum() * 0), "remainder": lambda a: a % torch.zeros_like(a)}.items():
            a = torch.arange(5)
            with self.subTest(name=name), self.assertRaises(graphc.Error) as raised:
                data = io.BytesIO()
                torch.jit.save(torch.jit.script(Remainder() if name == "remainder" else Floor()), data)
                graphc.compile(data.getvalue(), inputs=[a])(a)
            self.assertIn("zero", str(raised.exception))

    def test_the_least_integer_by_minus_one_wraps(self):
        for dtype in INTEGERS[:4]:
            a, b = torch.full((9,), torch.iinfo(dtype).min, dtype=dtype), torch.full((9,), -1, dtype=dtype)
            for how, context in contexts(lambda a, b: (torch.div(a, b, rounding_mode="trunc"), torch.floor_divide(a, b), torch.remainder(a, b), torch.fmod(a, b)),
                                         a * 0 + 6, b):
                quotient, floor, remainder, rest = context(a, b)
                with self.subTest(dtype=dtype, how=how):
                    self.assertTrue(torch.equal(quotient, a) and torch.equal(floor, a) and not remainder.any() and not rest.any())


class Floor(torch.nn.Module):
    def forward(self, a):
        return a // (a.sum() * 0)


class Remainder(torch.nn.Module):
    def forward(self, a):
        return a % torch.zeros_like(a)


def edges(dtype):
    """Around the limits of every integer type, halves, what is no number; both signs."""
    values = [0.0, 0.5, 0.999, 1.5, 2.18, 127.0, 127.9, 128.0, 129.0, 254.9, 255.0, 255.9, 256.0, 300.7, 511.0, 32767.0, 32768.0, 40000.0, 65504.0, 65535.0,
              65536.0, 70000.5, 2.0**31 - 128, 2.0**31, 3e9, 2.0**32, 2.0**32 + 512, 1e12, 2.0**53, 2.0**63 - 1024, 2.0**63, 2.0**64, 1e20, 3e38, inf, nan]
    return torch.tensor(values + [-v for v in values], dtype=torch.float64).to(dtype)


class Casts(unittest.TestCase):
    def test_out_of_range_is_as_in_eager(self):
        for source in FLOATS:
            x = edges(source)
            for target in INTEGERS + (torch.bool,):
                for how, context in contexts(lambda x: x.to(target), x):
                    with self.subTest(source=source, target=target, how=how):
                        found, eager = context(x), x.to(target)
                        wrong = (found != eager).nonzero().reshape(-1).tolist()
                        self.assertFalse(wrong, f"{[(float(x[i]), int(found[i]), int(eager[i])) for i in wrong]}")

    def test_within_a_kernel_too(self):
        for target in INTEGERS:
            x = edges(torch.float32)
            for how, context in contexts(lambda x: (x * 1).to(target) + 1, x):
                with self.subTest(target=target, how=how):
                    self.assertTrue(torch.equal(context(x), (x * 1).to(target) + 1))


if __name__ == "__main__":
    unittest.main()
