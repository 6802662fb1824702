"""Compares small programs with eager PyTorch: each is saved (scripted, traced or exported), imported by graphc-import, interpreted, and its
outputs must equal eager's: shapes and dtypes exactly, integers exactly, floats to rounding.

    check("write through a slice", Program(), torch.randn(3, 4))
    finish()
"""
import concurrent.futures
import copy
import os
import subprocess
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")
import numpy as np  # noqa: E402
import torch  # noqa: E402

DTYPES = {torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.int64: "i64", torch.int32: "i32", torch.int16: "i16",
          torch.int8: "i8", torch.uint8: "u8", torch.bool: "bool", torch.bfloat16: "bf16"}
TOLERANCE = {torch.float64: 1e-12, torch.float32: 2e-5, torch.float16: 2e-3, torch.bfloat16: 2e-2}
folder = tempfile.mkdtemp(prefix="graphc-builder-")
jobs = []


def flat(value):
    """Tensors of a nested result in order; numbers become 0-d tensors, None vanishes."""
    if value is None or isinstance(value, str):
        return []
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, bool):
        return [torch.tensor(value)]
    if isinstance(value, int):
        return [torch.tensor(value, dtype=torch.int64)]
    if isinstance(value, float):
        return [torch.tensor(value, dtype=torch.float64)]
    values = value.values() if isinstance(value, dict) else value
    return [tensor for item in values for tensor in flat(item)]


def numpy(tensor):
    tensor = tensor.detach()
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).contiguous().numpy()


def save(module, inputs, kind, path):
    if kind == "pt2":
        torch.export.save(torch.export.export(module, inputs, strict=False), path)
    elif kind == "trace":
        torch.jit.trace(module, inputs, check_trace=False).save(path)
    else:
        torch.jit.script(module).save(path)


class Function(torch.nn.Module):
    """A function as a module, for tracing and exporting."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def check(name, module, *inputs, runs=1, kinds=("pt", "pt2"), bind=None, specs=None, more=(), interpreted=True, compiled=False):
    """`runs` calls one after the other on the same inputs (state persists); `more`: further input tuples, each one more call.
    interpreted=False: the interpreter lacks an op of the program, so importing alone is tested; it fails once that changed.
    compiled=True: one call of the compiled program instead of the interpreted one."""
    module = (module if isinstance(module, torch.nn.Module) else Function(module)).eval()
    for kind in kinds:
        base = os.path.join(folder, f"{len(jobs)}")
        try:
            save(copy.deepcopy(module), inputs, kind, base + "." + ("pt2" if kind == "pt2" else "pt"))
        except Exception as error:  # the test is wrong, not graphc
            jobs.append((name, kind, None, [], f"could not be saved: {str(error).splitlines()[0][:200]}", True))
            continue
        eager, wanted, arguments = copy.deepcopy(module), [], []
        extra = list((bind or {}).values())
        for call, values in enumerate([inputs] * runs + [tuple(m) for m in more]):
            tensors = [v for v in flat(values)]
            np.savez(f"{base}.{call}.npz", **{f"in{i}": numpy(t) for i, t in enumerate(tensors)})
            with torch.no_grad():
                wanted.append([t.clone() for t in flat(eager(*copy.deepcopy(values), *extra))])
            arguments += ["--run", f"{base}.{call}.npz={base}.{call}.out.npz"]
        if kind != "pt2":
            for i, value in enumerate(inputs):
                if isinstance(value, torch.Tensor):
                    spec = specs[i] if specs else ",".join(map(str, value.shape))
                    arguments += ["--input", f"in{i}={DTYPES[value.dtype]}[{spec}]"]
            for key, value in (bind or {}).items():
                arguments += ["--bind", f"{key}={value}"]
        if compiled:
            arguments = [a for a in arguments if not a.startswith(base) and a != "--run"] + ["--inputs", f"{base}.0.npz", "--outputs", f"{base}.0.out.npz"]
        command = (["graphc", "run"] if compiled else ["graphc-import"]) + [base + "." + ("pt2" if kind == "pt2" else "pt")] + arguments
        jobs.append((name, kind, base, wanted, command, interpreted))


def difference(got, want):
    if tuple(got.shape) != tuple(want.shape):
        return f"shape {tuple(got.shape)}, eager {tuple(want.shape)}"
    expected = numpy(want)
    if got.dtype != expected.dtype:
        return f"dtype {got.dtype}, eager {expected.dtype}"
    if not want.dtype.is_floating_point:
        return None if np.array_equal(got, expected) else f"{got.ravel()[:8]}, eager {expected.ravel()[:8]}"
    bound = TOLERANCE[want.dtype]
    same = np.allclose(got, expected, rtol=bound, atol=bound, equal_nan=True)
    return None if same else f"{got.ravel()[:6]}, eager {expected.ravel()[:6]}"


def judge(job):
    name, kind, base, wanted, command, interpreted = job
    if base is None:
        return f"{name} ({kind}): {command}"
    result = subprocess.run(command, capture_output=True, text=True)
    if not interpreted:
        missing = "the interpreter has no meaning for" in result.stderr
        return None if result.returncode == 1 and missing else f"{name} ({kind}): expected only the interpreter to fail: {result.stderr.strip()[:600]}"
    if result.returncode:
        return f"{name} ({kind}): exit {result.returncode}: {result.stderr.strip()[:600]}"
    for call, want in enumerate(wanted):
        outputs = np.load(f"{base}.{call}.out.npz")
        if len(outputs.files) != len(want):
            return f"{name} ({kind}): {len(outputs.files)} outputs, eager {len(want)}"
        for i, tensor in enumerate(want):
            why = difference(outputs[outputs.files[i] if command[0] == "graphc" else f"out{i}"], tensor)
            if why:
                return f"{name} ({kind}), call {call}, output {i}: {why}"
    return None


def finish():
    """Runs all checks; exits 1 where one failed."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failures = [failure for failure in pool.map(judge, jobs) if failure]
    for failure in failures:
        print("FAILED", failure)
    print(f"{len(jobs) - len(failures)} of {len(jobs)} programs equal eager")
    subprocess.run(["rm", "-rf", folder])
    sys.exit(1 if failures or not jobs else 0)
