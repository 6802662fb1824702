"""Models as callables: compiling, loading, running. See the package's documentation for examples."""
import json
import os
from typing import NamedTuple

from . import _graphc
from ._errors import CompileError, Diagnostic

_SEVERITIES = ("note", "warning", "error")
_STATUSES = ("done", "model", "usage", "internal", "environment")
# DLPack's names of dtypes differ between libraries, their last words don't: "torch.float32", dtype('float32').
_DTYPES = {"uint8": "u8", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "float16": "f16", "bfloat16": "bf16",
           "float32": "f32", "float64": "f64", "bool": "bool"}


class TensorInfo(NamedTuple):
    """An input or output: its name, its path in the model's nested value, dtype ("f32") and dims (numbers, or symbols as text)."""

    name: str
    path: str
    dtype: str
    dims: tuple


def _spec(tensor):
    """An example tensor, or a spec as it is, in the form "f32[1,3]"."""
    if isinstance(tensor, str):
        return tensor
    if not hasattr(tensor, "__dlpack__"):
        raise TypeError(f"inputs: expected a tensor or a spec such as 'f32[B,3]', got {type(tensor).__name__}")
    name = str(tensor.dtype).rpartition(".")[2]
    if name not in _DTYPES:
        raise TypeError(f"inputs: graphc has no dtype {tensor.dtype}; it has {', '.join(_DTYPES)}")
    return f"{_DTYPES[name]}[{','.join(str(int(n)) for n in tensor.shape)}]"


def _specs(inputs):
    if inputs is None:
        return []
    if isinstance(inputs, dict):
        return [f"{name}={_spec(tensor)}" for name, tensor in inputs.items()]
    return [f"in{i}={_spec(tensor)}" for i, tensor in enumerate(inputs)]


def _check(compilation):
    """The compilation's diagnostics; CompileError where it failed."""
    diagnostics = [Diagnostic(_SEVERITIES[severity], *rest) for severity, *rest in compilation.diagnostics]
    if compilation.status:
        raise CompileError(compilation.error, _STATUSES[compilation.status], diagnostics)
    return diagnostics


def compile(model, inputs=None, *, bind=None, method="forward", opt="default", target=None, name="model", level=None, debug_skip=None):
    """Compiles a model file.

    model: a path, or the file's bytes. inputs: example tensors, or specs such as "f32[B,3]" (a letter is a dim that varies, 1
    or more; "B:0..8" gives a range), as a list by position or a dict by name; a .pt2 knows its inputs, TorchScript doesn't.
    bind: values of arguments that are no tensors. opt: "none" or "default". target: "cpu" (code for x86-64-v3 and v4),
    "cpu:native", … or several; "interpreter" runs the model op by op in the reference interpreter, without generated code.
    name: what messages call a model given as bytes. level: the code to take of those the artifact has ("x86-64-v3"). debug_skip (tests): a pass
    to leave out, by its flag.
    """
    targets = [] if target is None else [target] if isinstance(target, str) else list(target)
    source = bytes(model) if isinstance(model, (bytes, bytearray, memoryview)) else os.fspath(model)
    binds = [f"{key}={value}" for key, value in (bind or {}).items()]
    compilation = _graphc.compile(source, method, _specs(inputs), binds, targets, opt, name, debug_skip or "")
    diagnostics = _check(compilation)
    if targets == ["interpreter"]:
        return InterpretedModel(compilation, diagnostics)
    return Model(_graphc.open_compiled(compilation, level or ""), compilation, diagnostics)


def load(path, *, level=None):
    """Opens a .gcx that graphc.compile or the command line wrote."""
    return Model(_graphc.open_file(os.fspath(path), level or ""), None, [])


def _library(tensors):
    """Makes a result a tensor of the library that the inputs are from."""
    for tensor in tensors:
        if type(tensor).__module__.partition(".")[0] == "numpy":
            import numpy
            return numpy.from_dlpack
    try:
        import torch
    except ImportError:
        import numpy
        return numpy.from_dlpack
    return torch.from_dlpack


def _plain(tensor):
    """DLPack refuses tensors that record gradients."""
    return tensor.detach() if getattr(tensor, "requires_grad", False) else tensor


def _returned(arrays, tensors):
    convert = _library(tensors)
    results = tuple(convert(array) for array in arrays)
    return results[0] if len(results) == 1 else results


class Context:
    """One caller's runs: the model's state (if it has any), memory and threads. Its calls wait for each other."""

    def __init__(self, model, threads=0, arena=True):
        self._names = [info.name for info in model.inputs]
        self._context = _graphc.Context(model._model, threads, arena)

    def __call__(self, *tensors, **named):
        tensors = list(tensors) + [named.pop(name) for name in self._names[len(tensors):] if name in named]
        if named:
            raise TypeError(f"no input {', '.join(named)}; the model has {', '.join(self._names)}")
        return _returned(self._context.run([_plain(tensor) for tensor in tensors]), tensors)

    def reset(self):
        """Puts the state back to what the model file says."""
        self._context.reset()


class Model:
    """A compiled model. Calling it runs it, in a context of its own that keeps the model's state; context() makes others.

    diagnostics: what the compiler remarked. report: what it did and why (None for a loaded artifact). artifact: the .gcx."""

    def __init__(self, model, compilation, diagnostics):
        self._model, self._compilation, self._default = model, compilation, None
        self.diagnostics = diagnostics
        self.inputs = [TensorInfo(*info) for info in model.inputs]
        self.outputs = [TensorInfo(*info) for info in model.outputs]
        self.level = model.level

    @property
    def report(self):
        return json.loads(self._compilation.report) if self._compilation else None

    @property
    def artifact(self):
        if not self._compilation:
            raise ValueError("a loaded model is its file: there is nothing to save")
        return self._compilation.artifact

    def save(self, path):
        with open(path, "wb") as file:
            file.write(self.artifact)

    def context(self, threads=0, arena=True):
        """threads: most of one run, 0 as many as there are. arena=False (debugging): each buffer between guard pages."""
        return Context(self, threads, arena)

    def __call__(self, *tensors, **named):
        self._default = self._default or self.context()
        return self._default(*tensors, **named)

    def reset(self):
        if self._default:
            self._default.reset()


class InterpretedModel:
    """A model for the target "interpreter". double=True keeps f32 as f64, also in the results."""

    def __init__(self, compilation, diagnostics):
        self._compilation, self.diagnostics = compilation, diagnostics

    def __call__(self, *tensors, double=False):
        dense = [_dense(_plain(tensor)) for tensor in tensors]
        return _returned(self._compilation.interpret(dense, double), tensors)


def _dense(tensor):
    if hasattr(tensor, "contiguous"):
        return tensor.contiguous()
    import numpy
    return numpy.ascontiguousarray(tensor)
