"""The samples of PyTorch's OpInfos as one-operator models.

  for sample in samples(opinfo, torch.float32): …     Sample: a module over the tensors of one SampleInput, those tensors, what
                                                      eager gives and what fp64 gives

Everything in a sample that is a tensor is an input of the model; numbers, dtypes, strings are written into it, as are the tensors whose
numbers eager reads on the host because the results' shapes need them (READ_ON_HOST). Samples that
have nothing to compare (no tensor in the result, complex or quantized tensors, random numbers) are left out with the reason.
"""
import csv
import dataclasses
import unittest.mock
import warnings

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

import judge

DTYPES = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64,
          "i32": torch.int32, "u8": torch.uint8, "bool": torch.bool}
KNOWN = {torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64,
         torch.bool}
SEED = 7
# Operators whose result is memory that nobody wrote: only its dtype and shape count.
UNINITIALIZED = {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided"}
# Operators whose result is places of elements: which output, and where among the arguments after the first the dim stands.
SELECTING = {"topk": (1, 1), "kthvalue": (1, 1), "sort": (1, 0), "argsort": (0, 0), "median": (1, 0), "nanmedian": (1, 0), "mode": (1, 0), "argmax": (0, 0), "argmin": (0, 0),
             "max.reduction_with_dim": (1, 0), "min.reduction_with_dim": (1, 0)}


# Operators of which only the first tensor is an input.
READ_ON_HOST = {"tensor_split"}


class OneOperator(torch.nn.Module):
    """Calls `op` with the sample's arguments, its input tensors replaced by forward's; `tensors`: those of the sample."""

    def __init__(self, opinfo, arguments):
        super().__init__()
        self.op = opinfo.op
        leaves, self.tree = pytree.tree_flatten(arguments)
        self.places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        if opinfo.name in READ_ON_HOST:
            del self.places[1:]
        self.tensors = [leaves[place] for place in self.places]
        self.leaves = [None if i in self.places else leaf for i, leaf in enumerate(leaves)]

    def forward(self, *tensors):
        leaves = list(self.leaves)
        for place, tensor in zip(self.places, tensors):
            leaves[place] = tensor
        args, kwargs = pytree.tree_unflatten(leaves, self.tree)
        results = [leaf for leaf in pytree.tree_leaves(self.op(*args, **kwargs)) if isinstance(leaf, torch.Tensor)]
        return tuple(results)


@dataclasses.dataclass
class Sample:
    opinfo: str
    dtype: str
    number: int
    module: OneOperator
    tensors: list
    eager: list
    reference: list
    selection: judge.Selection | None = None

    @property
    def key(self):
        return f"{self.opinfo}/{self.dtype}/{self.number}"


def full_name(opinfo):
    return f"{opinfo.name}.{opinfo.variant_test_name}" if opinfo.variant_test_name else opinfo.name


def opinfos():
    return {full_name(opinfo): opinfo for opinfo in op_db}


def in_scope(table):
    """Names of the OpInfos that the table says are in scope."""
    with open(table) as lines:
        rows = csv.reader((line for line in lines if not line.startswith("#")), delimiter="\t")
        return [row[0] for row in rows if len(row) > 1 and row[1] == "in"]


def _widen(leaf):
    if isinstance(leaf, torch.Tensor) and leaf.dtype in (torch.float32, torch.float16, torch.bfloat16):
        return leaf.to(torch.float64)
    return torch.float64 if leaf in (torch.float32, torch.float16, torch.bfloat16) and isinstance(leaf, torch.dtype) else leaf


def _call(module, tensors, seed=SEED):
    torch.manual_seed(seed)
    with torch.no_grad(), unittest.mock.patch.object(torch, "manual_seed"):  # which some OpInfos call
        return module(*tensors)


def _call_wide(module, tensors):
    """As _call, where integers that become floats become f64."""
    torch.set_default_dtype(torch.float64)
    try:
        return _call(module, [tensor.clone() for tensor in tensors])
    finally:
        torch.set_default_dtype(torch.float32)


def _in_fp64(opinfo, arguments):
    """The results in fp64; None where the op has no fp64 version of this call."""
    try:
        wide = pytree.tree_map(_widen, arguments)
        module = OneOperator(opinfo, wide)
        return _call_wide(module, module.tensors)
    except Exception:
        return None


def nearby(sample, count=8):
    """Pairs of eager's results, and those in f64, for inputs a unit in the last place from the sample's. f64 samples are rounded to f32, so that f64 is a
    reference; where all inputs are integers, they are tried as f32 too, for results that are floats."""
    tensors = [t.to(torch.float32) if t.dtype == torch.float64 else t for t in sample.tensors]
    pairs = _pairs(sample.module, tensors, count)
    if not any(t.is_floating_point() for t in tensors):
        pairs += _pairs(sample.module, [t.to(torch.float32) if t.dtype != torch.bool else t for t in tensors], count)
    return pairs


def _pairs(module, tensors, count):
    pairs, generator = [], torch.Generator().manual_seed(SEED)
    for step in range(count):
        near = [t * (1 + torch.randint(-1, 2, t.shape, generator=generator) * torch.finfo(t.dtype).eps).to(t.dtype) if step and t.is_floating_point() else t for t in tensors]
        try:
            pairs.append((_call(module, [t.clone() for t in near]), _call_wide(module, [_widen(t) for t in near])))
        except Exception:  # the op lacks this call in one of the dtypes
            return pairs
    return pairs


def _copy(tensor):
    """A tensor of the same values and strides in memory of its own."""
    if tensor.is_contiguous() or 0 in tensor.stride():
        return tensor.detach().clone(memory_format=torch.contiguous_format)
    copy = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype)
    return copy.copy_(tensor.detach())


def _selection(name, sample, x):
    """How to judge the places in the result; None where there are none."""
    if name not in SELECTING:
        return None
    output, at = SELECTING[name]
    whole = None if name.startswith("arg") and name != "argsort" else -1
    dim = sample.kwargs.get("dim", sample.args[at] if len(sample.args) > at else whole)
    return judge.Selection(output, x, dim)


def _make(opinfo, name, dtype, number, sample):
    arguments = ((sample.input, *sample.args), sample.kwargs)
    module = OneOperator(opinfo, arguments)
    tensors = module.tensors
    if any(t.dtype not in KNOWN or t.layout != torch.strided for t in tensors):
        return "a tensor of a dtype or layout that graphc lacks"
    eager = _call(module, [_copy(t) for t in tensors])
    if not eager:
        return "no tensor in the result"
    if any(t.dtype not in KNOWN for t in eager):
        return "a result of a dtype that graphc lacks"
    again = _call(module, [_copy(t) for t in tensors], SEED + 1)
    if name not in UNINITIALIZED and not all(torch.equal(a.nan_to_num() if a.is_floating_point() else a, b.nan_to_num() if b.is_floating_point() else b) for a, b in zip(eager, again)):
        return "random numbers: eager's result changes with the seed"
    reference = _in_fp64(opinfo, arguments)
    copies = [_copy(t) for t in tensors]
    return Sample(name, dtype, number, module, copies, list(eager), reference, _selection(name, sample, copies[0]))


def samples(opinfo, dtype, limit=None):
    """(Samples, {reason: count} of what was left out), in the OpInfo's order; `limit`: at most so many, spread evenly."""
    name, kept, left = full_name(opinfo), [], {}
    torch.manual_seed(SEED)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        inputs = list(enumerate(opinfo.sample_inputs("cpu", DTYPES[dtype], requires_grad=False)))
        if limit and len(inputs) > limit:
            inputs = [inputs[i * len(inputs) // limit] for i in range(limit)]
        for number, sample in inputs:
            try:
                made = _make(opinfo, name, dtype, number, sample)
            except Exception as error:
                made = f"eager refuses it: {type(error).__name__}"
            if isinstance(made, Sample):
                kept.append(made)
            else:
                left[made] = left.get(made, 0) + 1
    return kept, left
