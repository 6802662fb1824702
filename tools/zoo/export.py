"""Builds one model of the zoo and writes its files: what zoo.py starts once per model, as a process of its own.

  export.py DIR NAME     writes NAME@1.{pt,pt2,npz}, NAME@3.{pt,pt2,npz}, NAME.dyn.pt2, NAME.dyn.{1,3,5}.npz and NAME.json

A .npz holds in0, in1, …, the fp64 outputs out0, out1, … and eager PyTorch's own outputs eager0, eager1, …. NAME.json maps what could not
be exported to PyTorch's message. Weights and inputs are seeded by the model's name.
"""
import copy
import inspect
import json
import os
import pathlib
import sys
import warnings
import zlib

os.environ.setdefault("HF_HUB_OFFLINE", "1")
warnings.filterwarnings("ignore")
import numpy as np
import torch

import custom
import language
import vision
from perturb import perturb

MODELS = {**vision.MODELS, **language.MODELS, **custom.MODELS}
REAL_WEIGHTS = vision.REAL_WEIGHTS | language.REAL_WEIGHTS | custom.REAL_WEIGHTS
EXPORTED_BATCH, SYMBOLIC_SIZES = 3, (1, 3, 5)


def build(name, batch):
    torch.manual_seed(zlib.crc32(name.encode()))
    model, inputs = MODELS[name](batch)
    if name not in REAL_WEIGHTS:
        perturb(model)
    return model.eval(), inputs


def flatten(outputs):
    if isinstance(outputs, torch.Tensor):
        return [outputs]
    return [t for part in (outputs.values() if isinstance(outputs, dict) else outputs) for t in flatten(part)]


def in_double(model, inputs):
    wide = copy.deepcopy(model).double()
    for module in wide.modules():  # torch's grouped products don't take doubles
        if getattr(module, "_can_set_experts_implementation", bool)():
            module.set_experts_implementation("batched_mm")
    torch.set_default_dtype(torch.float64)
    try:
        with torch.no_grad():
            return flatten(wide(*(t.double() if t.is_floating_point() else t for t in inputs)))
    finally:
        torch.set_default_dtype(torch.float32)


def save_case(path, model, inputs):
    with torch.no_grad():
        eager = flatten(copy.deepcopy(model)(*inputs))
    named = {"in": inputs, "out": in_double(model, inputs), "eager": eager}
    np.savez(path, **{f"{kind}{i}": t.numpy() for kind, tensors in named.items() for i, t in enumerate(tensors)})


def attempt(failures, what, action):
    try:
        with torch.no_grad():
            action()
    except Exception as error:  # whatever the exporter raises is the answer for this file
        failures[what] = f"{type(error).__name__}: {str(error).strip().splitlines()[0][:300] if str(error).strip() else ''}"


def export_static(folder, name, batch, failures):
    model, inputs = build(name, batch)
    base = folder / f"{name}@{batch}"
    save_case(f"{base}.npz", model, inputs)
    attempt(failures, f"@{batch}.pt2", lambda: torch.export.save(torch.export.export(copy.deepcopy(model), inputs, strict=False), f"{base}.pt2"))
    attempt(failures, f"@{batch}.pt", lambda: torch.jit.trace(model, inputs, check_trace=False, strict=False).save(f"{base}.pt"))


def export_symbolic(folder, name, failures):
    model, inputs = build(name, EXPORTED_BATCH)
    batched = [t.ndim > 0 and t.shape[0] == EXPORTED_BATCH for t in inputs]
    if not any(batched) or name.endswith("_decode"):
        return
    dim = torch.export.Dim("B", min=1, max=64)
    dims = tuple({0: dim} if b else None for b in batched)
    if any(p.kind is p.VAR_POSITIONAL for p in inspect.signature(model.forward).parameters.values()):
        dims = (dims,)
    attempt(failures, ".dyn.pt2", lambda: torch.export.save(
        torch.export.export(copy.deepcopy(model), inputs, dynamic_shapes=dims, strict=False), folder / f"{name}.dyn.pt2"))
    if ".dyn.pt2" in failures:
        return
    for size in SYMBOLIC_SIZES:
        save_case(folder / f"{name}.dyn.{size}.npz", model, build(name, size)[1])


def main():
    folder, name = pathlib.Path(sys.argv[1]), sys.argv[2]
    failures = {}
    for batch in (1, EXPORTED_BATCH):
        export_static(folder, name, batch, failures)
    export_symbolic(folder, name, failures)
    (folder / f"{name}.json").write_text(json.dumps(failures, indent=1))


if __name__ == "__main__":
    main()
