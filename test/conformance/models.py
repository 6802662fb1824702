"""One-operator models as files: TorchScript (traced) and torch.export, with dims that are numbers or symbols.

  data, specs = traced(sample, symbolic=False)     bytes of a .pt and the inputs argument of graphc.compile
  data, specs = exported(sample, symbolic=True)    bytes of a .pt2; no specs needed

Symbolic: every dim of 2 or more of an input is a symbol, equal sizes of one sample share it, as a user who knows the model would say.
"""
import io
import re
import warnings

import torch

NAMES = {torch.uint8: "u8", torch.int8: "i8", torch.int16: "i16", torch.int32: "i32", torch.int64: "i64", torch.float16: "f16",
         torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64", torch.bool: "bool"}


class Unavailable(Exception):
    """PyTorch can't make this model of the sample; the text says why."""


def _clones(sample):
    return tuple(t.clone(memory_format=torch.preserve_format) for t in sample.tensors)


def spec(tensor, symbolic):
    dims = [f"s{n}" if symbolic and n > 1 else str(n) for n in tensor.shape]
    return f"{NAMES[tensor.dtype]}[{','.join(dims)}]"


def has_symbols(sample):
    return any(n > 1 for t in sample.tensors for n in t.shape)


def trace(sample):
    """The traced module's text (equal models give equal texts) and its file's bytes."""
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.manual_seed(7)
        try:
            module = torch.jit.trace(sample.module, _clones(sample), check_trace=False, strict=False)
        except Exception as error:
            raise Unavailable(f"torch.jit.trace: {type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}")
        data = io.BytesIO()
        torch.jit.save(module, data)
    return str(module.inlined_graph), data.getvalue()


def specs(sample, symbolic):
    return [spec(t, symbolic) for t in sample.tensors]


def export(sample, symbolic):
    """The file's bytes."""
    auto = torch.export.Dim.DYNAMIC
    shapes = ({i: auto for i, n in enumerate(t.shape) if n > 1} for t in sample.tensors)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.manual_seed(7)
        try:
            program = torch.export.export(sample.module, _clones(sample), dynamic_shapes=(tuple(shapes),) if symbolic else None, strict=False)
            data = io.BytesIO()
            torch.export.save(program, data)
        except Exception as error:
            raise Unavailable(f"torch.export: {type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}")
    return data.getvalue()


def outcome_of(error):
    """"refused", or "internal": a failed check, or a pass that made an operation its verifier rejects."""
    return "internal" if error.status == "internal" or re.search(r"'(kernel|graph|scalar|func)\.\w+' op ", str(error)) else "refused"
