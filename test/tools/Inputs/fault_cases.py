"""Small models through the whole path, judged against eager: static, with symbolic dims, and each between guard pages too (--arena=off).

  cases = Cases(__file__)                                              in an empty working folder
  cases.traced("a name", lambda x: x + 1, torch.ones(3))               as TorchScript; value = eager's
  cases.traced("another", divide, x, zero, error="by zero", traced=(x, one))       the run must fail so, naming a line of this file
  cases.scripted("a loop", Module(), x); cases.exported("a buffer", Module(), x)
  cases.finish(50)                                                     runs all, prints failures, exits
"""
import concurrent.futures
import copy
import os
import subprocess
import sys

import numpy as np
import torch

NAMES = {torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16", torch.int64: "i64", torch.int32: "i32", torch.int16: "i16",
         torch.int8: "i8", torch.uint8: "u8", torch.bool: "bool"}


def array(tensor):
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).detach().contiguous().numpy()


def difference(found, wanted):
    if found.dtype != array(wanted).dtype or found.shape != tuple(wanted.shape):
        return f"{found.dtype}{list(found.shape)} instead of {wanted.dtype}{list(wanted.shape)}"
    want = array(wanted)
    if not wanted.is_floating_point():
        return None if np.array_equal(found, want) else f"{found.ravel()[:6]} instead of {want.ravel()[:6]}"
    tolerance = 1e-2 if wanted.dtype in (torch.float16, torch.bfloat16) else 1e-5
    same = np.allclose(found, want, rtol=tolerance, atol=tolerance, equal_nan=True) and np.array_equal(np.signbit(found[want == 0]), np.signbit(want[want == 0]))
    return None if same else f"{found.ravel()[:6]} instead of {want.ravel()[:6]}"


def tensors_of(value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for v in (value.values() if isinstance(value, dict) else value) for t in tensors_of(v)]


class Model(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


class Cases:
    def __init__(self, file):
        self.file = os.path.basename(file)
        self.jobs = []

    def traced(self, name, function, *inputs, traced=None, **rest):
        """expected: the right value where it is not simply eager's; error: what the message must contain; traced: inputs to trace with instead.
        symbolic: which dims of which inputs become symbols, as {input: (dim, …)}; True: all of 2 and more, False: none."""
        file = f"case{len(self.jobs)}.pt"
        torch.jit.trace(Model(function), traced or inputs, check_trace=False).save(file)
        self._add(name, file, function, inputs, **rest)

    def scripted(self, name, module, *inputs, **rest):
        file = f"case{len(self.jobs)}.pt"
        torch.jit.script(module).save(file)
        self._add(name, file, copy.deepcopy(module), inputs, **rest)

    def exported(self, name, module, *inputs, symbolic=True, **rest):
        """Twice, where dims may vary."""
        for dynamic in (False, True) if symbolic else (False,):
            file = f"case{len(self.jobs)}.pt2"
            dims = tuple({d: torch.export.Dim.AUTO for d, n in enumerate(t.shape) if n > 1} for t in inputs)
            program = torch.export.export(copy.deepcopy(module), inputs, dynamic_shapes=(dims if not isinstance(module, Model) else (dims,)) if dynamic else None)
            torch.export.save(program, file)
            self._add(f"{name} {'symbolic' if dynamic else 'static'}", file, copy.deepcopy(module), inputs, symbolic=False, **rest)

    def _add(self, name, file, function, inputs, expected=None, error=None, symbolic=True):
        if error is None:
            with torch.no_grad():
                value = expected if expected is not None else function(*[t.clone() for t in inputs])
            error = [t.clone() for t in tensors_of(value)]
        base = file.partition(".")[0]
        np.savez(base + ".npz", **{f"in{i}": array(t) for i, t in enumerate(inputs)})
        varies = {i: range(t.dim()) for i, t in enumerate(inputs)} if symbolic is True else symbolic or {}
        specs = {"static": [f"in{i}={NAMES[t.dtype]}[{','.join(map(str, t.shape))}]" for i, t in enumerate(inputs)]}
        if any(varies.values()):
            specs["symbolic"] = [f"in{i}={NAMES[t.dtype]}[{','.join(f's{n}' if n > 1 and d in varies.get(i, ()) else str(n) for d, n in enumerate(t.shape))}]"
                                 for i, t in enumerate(inputs)]
        if file.endswith(".pt2"):
            specs = {"exported": []}
        self.jobs.append((name, file, base, specs, error))

    def finish(self, least):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            failures = [failure for result in pool.map(self._judge, self.jobs) for failure in result]
        print("".join(f"FAILED {failure}\n" for failure in failures) + f"{len(self.jobs)} faults, {len(failures)} failures")
        sys.exit(1 if failures or len(self.jobs) < least else 0)

    def _judge(self, job):
        name, file, base, specs, wanted = job
        failures = []
        for kind, spec in specs.items():
            artifact = f"{base}.{kind}.gcx"
            done = subprocess.run(["graphc", file, "-o", artifact] + [word for text in spec for word in ("--input", text)], capture_output=True, text=True)
            for arena in ("planned", "off"):
                if done.returncode == 0 or arena == "off":
                    run = subprocess.run(["graphc", "run", artifact, "--arena", arena, "--inputs", base + ".npz", "--outputs", f"{artifact}.npz"],
                                         capture_output=True, text=True) if done.returncode == 0 else done
                else:
                    run = done
                failures += [f"{name} ({kind}, arena {arena}){why}" for why in self._problems(run, f"{artifact}.npz", wanted)]
        return failures

    def _problems(self, run, out, wanted):
        if isinstance(wanted, str):
            if run.returncode != 1 or wanted not in run.stderr or not (self.file in run.stderr or "fault_cases.py" in run.stderr):
                yield f": exit {run.returncode}, expected 1 and '{wanted}': {run.stderr.strip()[-300:]}"
            return
        if run.returncode != 0:
            yield f": exit {run.returncode}: {run.stderr.strip()[-400:]}"
            return
        found = np.load(out)
        if len(found.files) != len(wanted):
            yield f": {len(found.files)} outputs, expected {len(wanted)}"
        for i, (key, tensor) in enumerate(zip(found.files, wanted)):
            if why := difference(found[key], tensor):
                yield f", output {i}: {why}"
