r'''Compares small programs with eager PyTorch: each is saved (scripted, traced or exported), imported by graphc-import, run by the
interpreter and as a compiled artifact, and its outputs must equal eager's: shapes and dtypes exactly, integers exactly, floats to
rounding.

    clause("views")
    check("write through a slice", program("""
    def forward(self, x):
        a = x.clone()
        a[0] = 1
        return a
    """), torch.randn(3, 4))
    refuse("a loop over data", Program(), torch.randn(3), saying="prim::Loop")
    finish()
'''
import collections
import copy
import json
import linecache
import os
import subprocess
import sys
import tempfile
import textwrap
import types
import warnings

warnings.filterwarnings("ignore")
import numpy as np  # noqa: E402
import torch  # noqa: E402

torch.set_num_threads(1)
DTYPES = {torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.int64: "i64", torch.int32: "i32", torch.int16: "i16",
          torch.int8: "i8", torch.uint8: "u8", torch.bool: "bool", torch.bfloat16: "bf16"}
TOLERANCE = {torch.float64: 1e-12, torch.float32: 2e-5, torch.float16: 2e-3, torch.bfloat16: 2e-2}
folder = tempfile.mkdtemp(prefix="graphc-builder-")
jobs = []
current = ["programs"]

# base: where its files lie; None where saving failed, why says then how. refusal: what the error must say; None: it must run.
Job = collections.namedtuple("Job", "clause name kind base wanted command refusal why", defaults=(None, None))


def clause(name):
    """What the checks that follow belong to, for the summary."""
    current[0] = name


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


def tensors(values, kind):
    """The program's inputs: an exported one has numbers built in."""
    everything = flat(list(values))
    if kind not in ("pt2", "decomposed"):
        return everything
    return [t for t in torch.utils._pytree.tree_leaves(list(values)) if isinstance(t, torch.Tensor)]


def numpy(tensor):
    tensor = tensor.detach()
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).contiguous().numpy()


def save(module, inputs, kind, path, dynamic=None):
    if kind == "pt2":
        torch.export.save(torch.export.export(module, inputs, strict=False, dynamic_shapes=dynamic), path)
    elif kind == "decomposed":
        torch.export.save(torch.export.export(module, inputs, strict=False, dynamic_shapes=dynamic).run_decompositions(), path)
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


def program(body, before=""):
    """A module out of the source of its methods, so that many fit in a file and each can be scripted; `before` comes before its class."""
    source = "import torch, math\nimport torch.nn.functional as F\nfrom torch import nn, Tensor\nfrom typing import *\n" + textwrap.dedent(before) + \
        "\nclass M(nn.Module):\n" + textwrap.indent(textwrap.dedent(body), "    ")
    name = f"<program {program.count}>"
    program.count += 1
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    module = types.ModuleType(f"program{program.count}")
    module.__file__ = name
    sys.modules[module.__name__] = module
    exec(compile(source, name, "exec"), module.__dict__)
    return module.M()


program.count = 0


def stored(name, module, inputs, kind, dynamic=None):
    """The file's name without suffix and its command; None where it can't be saved: the test is wrong then, not graphc."""
    base = os.path.join(folder, f"{len(jobs)}")
    path = base + (".pt2" if kind in ("pt2", "decomposed") else ".pt")
    if isinstance(module, Function) and dynamic is not None:
        dynamic = (dynamic,)  # of *inputs
    try:
        save(copy.deepcopy(module), inputs, kind, path, dynamic)
    except Exception as error:
        jobs.append(Job(current[0], name, kind, None, [], [], None, "could not be saved: " + " ".join(str(error).split())[:300]))
        return None, None
    return base, [path]


def options(inputs, kind, bind, specs, method=None, names=None, flags=()):
    """--input and --bind; a TorchScript file doesn't say what it is called with."""
    arguments = list(flags) + (["--method", method] if method else [])
    if kind not in ("pt2", "decomposed"):
        for i, value in enumerate(flat(list(inputs))):
            spec = specs[i] if specs else ",".join(map(str, value.shape))
            if spec is not None:
                arguments += ["--input", f"{names[i] if names else f'in{i}'}={DTYPES[value.dtype]}[{spec}]"]
        for key, value in (bind or {}).items():
            arguments += ["--bind", f"{key}={value}"]
    return arguments


def check(name, module, *inputs, runs=1, kinds=("pt", "pt2"), bind=None, specs=None, more=(), interpreted=True, compiled=True,
          dynamic=None, method=None, names=None, flags=()):
    """`runs` calls one after the other on the same inputs (state persists); `more`: further input tuples, each one more call. `specs`:
    the dims of each tensor for --input, None for an argument that needs none; `names`: their names instead of in0, …; `flags`: more words of the
    command. `dynamic`: dynamic_shapes of torch.export. interpreted=False, compiled=False: that way
    lacks an op of the program."""
    module = (module if isinstance(module, torch.nn.Module) else Function(module)).eval()
    for kind in kinds:
        base, command = stored(name, module, inputs, kind, dynamic)
        if not base:
            continue
        eager, wanted = copy.deepcopy(module), []
        command += options(inputs, kind, bind, specs, method, names, flags)
        for call, values in enumerate([inputs] * runs + [tuple(m) for m in more]):
            given, arguments = tensors(values, kind), copy.deepcopy(values)
            np.savez(f"{base}.{call}.npz", **{f"in{i}": numpy(t) for i, t in enumerate(given)})
            with torch.no_grad():
                function = getattr(eager, method) if method else eager
                results = {f"out{i}": t.clone() for i, t in enumerate(flat(function(*arguments, **(bind or {}))))}
            # Inputs that the program changes in place: the caller's memory changes too.
            for i, (before, after) in enumerate(zip(given, tensors(arguments, kind))):
                if not torch.allclose(before, after, 0, 0, equal_nan=True):
                    results[f"in{i}"] = after
            wanted.append(results)
            for way, wished in (("run", interpreted), ("compiled", compiled)):
                if wished:
                    command += [f"--{way}", f"{base}.{call}.npz={base}.{call}.{way}.npz"]
        jobs.append(Job(current[0], name, kind, base, wanted, command))


def refuse(name, module, *inputs, saying, kinds=("pt", "pt2"), bind=None, specs=None, dynamic=None, method=None, run=False, flags=()):
    """Importing must fail with exit status 1 and the text `saying`; with `run` only running the compiled program must."""
    module = (module if isinstance(module, torch.nn.Module) else Function(module)).eval()
    for kind in kinds:
        base, command = stored(name, module, inputs, kind, dynamic)
        if not base:
            continue
        command += options(inputs, kind, bind, specs, method, flags=flags)
        if run:
            np.savez(f"{base}.npz", **{f"in{i}": numpy(t) for i, t in enumerate(tensors(run, kind))})
            command += ["--compiled", f"{base}.npz={base}.out.npz"]
        jobs.append(Job(current[0], name, kind, base, [], command, saying))


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


def judge(job, status, output):
    """Why the job failed; None where it didn't."""
    if job.why:
        return job.why
    if job.refusal is not None:
        return None if status == 1 and job.refusal in output else f"exit {status}, expected a refusal with '{job.refusal}': {output.strip()[:600]}"
    if status:
        return f"exit {status}: {output.strip()[:600]}"
    for call, want in enumerate(job.wanted):
        for way in ("run", "compiled"):
            if f"--{way}" not in job.command:
                continue
            outputs = np.load(f"{job.base}.{call}.{way}.npz")
            missing = set(want) - set(outputs.files), {name for name in outputs.files if name.startswith("out")} - set(want)
            if missing[0] or missing[1]:
                return f"{way}, call {call}: outputs {outputs.files}, eager {list(want)}"
            for name, tensor in want.items():
                why = difference(outputs[name], tensor)
                if why:
                    return f"{way}, call {call}, {name}: {why}"
    return None


def run_all():
    """(status, output) of each job."""
    results = [(0, "")] * len(jobs)
    todo = [i for i, job in enumerate(jobs) if not job.why]
    listing = os.path.join(folder, "batch")
    with open(listing, "w") as file:
        file.write("".join(json.dumps(jobs[i].command) + "\n" for i in todo))
    batch = subprocess.run(["graphc-import", "--batch", listing], capture_output=True, text=True)
    if batch.returncode:
        sys.exit(f"graphc-import --batch: exit {batch.returncode}: {batch.stderr}")
    for line in batch.stdout.splitlines():
        line = json.loads(line)
        results[todo[line["job"]]] = (line["status"], line["output"])
    return results


def finish():
    """Runs all checks; exits 1 where one failed."""
    right, all_of = collections.Counter(), collections.Counter(job.clause for job in jobs)
    failures = []
    for job, (status, output) in zip(jobs, run_all()):
        why = judge(job, status, output)
        right[job.clause] += not why
        if why:
            failures.append(f"FAILED {job.name} ({job.kind}): {why}")
    print("\n".join(failures))
    for name, count in all_of.items():
        print(f"{name}: {right[name]} of {count} as eager")
    subprocess.run(["rm", "-rf", folder])
    sys.exit(1 if failures or not jobs else 0)
