# RUN: env PYTHONPATH=%S/Inputs %python %s
# REQUIRES: torch, python-torch
"""Type promotion: every operator over every pair of dtypes, tensors with dims, 0-d tensors and Python numbers, against eager."""
import operator

import torch
from eager import check, finish

DTYPES = [torch.float32, torch.float64, torch.float16, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool]
VALUES = [3, 1, 2, 5]
OPERATORS = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "floor_divide": torch.floor_divide, "remainder": torch.remainder,
             "maximum": torch.maximum, "atan2": torch.atan2, "eq": torch.eq, "lt": torch.lt, "and": torch.bitwise_and, "logical_or": torch.logical_or,
             "where": lambda a, b: torch.where(a > 2, a, b), "trunc": lambda a, b: torch.div(a, b, rounding_mode="trunc"),
             "pow": lambda a, b: torch.pow(a, b), "rsub": torch.rsub, "alpha": lambda a, b: torch.add(a, b, alpha=2)}


def works(function, *arguments):
    try:
        function(*arguments)
        return True
    except RuntimeError:
        return False


def pairs(function, tensors, others):
    """All results that eager allows, in order."""
    chosen = [(i, k) for i, a in enumerate(tensors) for k, b in enumerate(others) if works(function, a, b)]
    return lambda *t: [function(t[i], t[len(tensors) + k]) for i, k in chosen]


wide = [torch.tensor(VALUES).to(t) for t in DTYPES]
zero = [torch.tensor(2).to(t) for t in DTYPES]
for name, function in OPERATORS.items():
    check(f"{name}, tensors", pairs(function, wide, wide), *wide, *wide, kinds=("trace",))
    check(f"{name}, a 0-d tensor", pairs(function, wide, zero), *wide, *zero, kinds=("trace",))
for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "ge"):
    function = getattr(operator, name)
    for number in (2, 2.5, True) if name in ("add", "mul", "truediv") else (2, 2.5):
        chosen = [i for i, a in enumerate(wide) if works(function, a, number)]
        check(f"{name}, {number!r}", lambda *t, f=function, n=number, c=chosen: [f(t[i], n) for i in c], *wide, kinds=("trace",))
unary = [torch.sqrt, torch.exp, torch.sigmoid, torch.neg, torch.abs, torch.relu, torch.floor, torch.sign, torch.isnan, torch.logical_not, torch.bitwise_not,
         torch.sum, torch.mean, torch.prod, torch.any, torch.amax, torch.argmax, lambda x: torch.cumsum(x, 0), lambda x: x.to(torch.int8), lambda x: x.float()]
for i, function in enumerate(unary):
    chosen = [k for k, a in enumerate(wide) if works(function, a)]
    check(f"unary {i}", lambda *t, f=function, c=chosen: [f(t[k]) for k in c], *wide, kinds=("trace",))
check("list literals", lambda x: (torch.tensor([1, 2]), torch.tensor([1, 2.0]), torch.tensor([True, False]), torch.tensor(3) * x, torch.tensor(3.0) * x),
      torch.ones(2, dtype=torch.int32), kinds=("trace",))
finish()
