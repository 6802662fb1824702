"""The error inputs of PyTorch's OpInfos as models: calls that eager refuses, which graphc must refuse too.

  for case in error_models(opinfo): …     ErrorModel: the bytes of a scripted module and the tensors it refuses

Tracing would run the call, so each is written as TorchScript source. Calls that can't be written so, or that TorchScript accepts
where eager doesn't, are left out with the reason.
"""
import dataclasses
import io
import itertools
import warnings

import torch
from torch.utils import _pytree as pytree

from samples import KNOWN, full_name


@dataclasses.dataclass
class ErrorModel:
    opinfo: str
    number: int
    data: bytes
    tensors: list
    message: str


class _Tensor:
    def __init__(self, number):
        self.number = number

    def __repr__(self):
        return f"t{self.number}"


_numbers = itertools.count()


def _function(opinfo):
    """How TorchScript names the op; None where it can't."""
    name = opinfo.aten_name if opinfo.name.startswith("torch.ops") else opinfo.name
    holder = torch
    for part in name.split("."):
        holder = getattr(holder, part, None)
    return f"torch.{name}" if callable(holder) else None


def _script(opinfo, sample):
    """(module, tensors); an exception where the call can't be written."""
    function, tensors = _function(opinfo), []
    if function is None:
        raise ValueError("no function of that name")

    def name(leaf):
        if not isinstance(leaf, torch.Tensor):
            return leaf
        tensors.append(leaf)
        return _Tensor(len(tensors) - 1)

    args, kwargs = pytree.tree_map(name, ((sample.input, *sample.args), sample.kwargs))
    call = ", ".join([repr(a) for a in args] + [f"{key}={value!r}" for key, value in kwargs.items()])
    if any(t.dtype not in KNOWN or t.layout != torch.strided or t.device.type != "cpu" for t in tensors):
        raise ValueError("a tensor that graphc lacks")
    module = type(f"Call{next(_numbers)}", (torch.jit.ScriptModule,), {})()  # a name of its own: TorchScript keeps classes by name
    module.define(f"def forward(self{''.join(f', t{i}' for i in range(len(tensors)))}):\n  return {function}({call})\n")
    return module, tensors


def _make(opinfo, number, case):
    sample = case.sample_input
    try:
        module, tensors = _script(opinfo, sample)
    except Exception:
        return "can't be written as TorchScript"
    try:
        with torch.no_grad():
            module(*[t.clone() for t in tensors])
        return "TorchScript accepts it"
    except Exception as error:
        message = str(error).strip().splitlines()[-1]
    data = io.BytesIO()
    torch.jit.save(module, data)
    return ErrorModel(full_name(opinfo), number, data.getvalue(), tensors, message)


def error_models(opinfo):
    """(ErrorModels, {reason: count} of what was left out)"""
    kept, left = [], {}
    if opinfo.error_inputs_func is None:
        return kept, left
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            cases = list(opinfo.error_inputs("cpu"))
        except Exception as error:
            return kept, {f"the error inputs themselves: {type(error).__name__}": 1}
        for number, case in enumerate(cases):
            made = _make(opinfo, number, case)
            if isinstance(made, ErrorModel):
                kept.append(made)
            else:
                left[made] = left.get(made, 0) + 1
    return kept, left
