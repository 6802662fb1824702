# From a model file to numbers, through the command line: TorchScript and torch.export, symbolic dims, bound arguments, state,
# what is said about missing and wrong arguments, the summary and the report.
# REQUIRES: graphc, torch, python-torch
# RUN: rm -rf %t && mkdir %t && cd %t && %python %s | FileCheck %s
import json
import subprocess
import warnings

import numpy as np
import torch

warnings.filterwarnings("ignore")


def graphc(*arguments, status=0):
    done = subprocess.run(["graphc", *arguments], capture_output=True, text=True)
    assert done.returncode == status, f"{arguments}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def close(name, ours, theirs):
    print(f"{name}: {'equal' if np.allclose(ours, theirs, rtol=1e-5, atol=1e-6) else f'{ours} expected {theirs}'}", flush=True)


class Mixed(torch.nn.Module):
    """Two inputs, nested outputs."""

    def forward(self, x, y):
        p = torch.softmax(x * 2 + y, -1)
        return p, (torch.nn.functional.layer_norm(x, (16,)).tanh(), p.sum(-1))


class Counter(torch.nn.Module):
    """A state tensor, an argument with a default, one to bind."""

    def __init__(self):
        super().__init__()
        self.total = torch.zeros(2)

    def forward(self, x, scale: float, negate: bool = False):
        self.total = self.total + x
        if negate:
            return -self.total * scale
        return self.total * scale


x, y = torch.randn(3, 16), torch.randn(16)
torch.jit.trace(Mixed(), (x, y), check_trace=False).save("mixed.pt")
torch.export.save(torch.export.export(Mixed(), (x, y)), "mixed.pt2")
torch.jit.script(Counter()).save("counter.pt")

# A traced file remembers the shapes it was traced with.
# CHECK: 'mixed.pt' does not say what it is called with: x (Tensor), y (Tensor). Type
# CHECK-NEXT: graphc mixed.pt --input 'x=f32[3,16]' --input 'y=f32[16]'
print(graphc("mixed.pt", status=1))
# CHECK: There is no argument z. Type
print(graphc("mixed.pt", "--input", "x=f32[3,16]", "--input", "z=f32[16]", status=1))
# A number that nothing is decided by is an input of the program: it needs no flag.
# CHECK: 'counter.pt' does not say what it is called with: x (Tensor). Type
# CHECK-NEXT: graphc counter.pt --input 'x=f32[1,512]'
print(graphc("counter.pt", status=1))

# CHECK: mixed.pt (TorchScript archive version {{[0-9]+}}) -> mixed.gcx
# CHECK: {{[0-9]+}} ops, {{[0-9]+}} of them fused, in {{[0-9]+}} kernels; 0 state tensors
# CHECK: weights {{.*}}, arena
# CHECK: cpu:x86-64-v3: {{[0-9]+}} kernels, code
# CHECK: cpu:x86-64-v4: {{[0-9]+}} kernels, code
# CHECK: {{[0-9.]+}} s: {{.*}}Reading the model
print(graphc("mixed.pt", "--input", "in0=f32[B,16]", "--input", "y=f32[16]", "--report", "report.json"))
# CHECK: report: True True ['cpu:x86-64-v3', 'cpu:x86-64-v4']
report = json.load(open("report.json"))
summary = report["summary"]
print("report:", summary["kernels"] > 0, all(p["seconds"] >= 0 for p in summary["phases"]),
      [t["name"] for t in summary["targets"]])
# What was decided: kernels with their lines, fusions refused with the reason.
# CHECK: kernels: True [{{.*}}softmax{{.*}}] compile.py
# CHECK: refused: graph.sum stays apart from graph.softmax: a reduction takes in pointwise ops only at compile.py:{{[0-9]+}}
kernels = report["kernels"]
print("kernels:", all(k["launches"] == 1 and k["schedules"] for k in kernels), [k["name"] for k in kernels], kernels[0]["lines"][0]["file"].split("/")[-1])
for decision in report["decisions"]:
    if decision["category"] == "fusion":
        print("refused:", decision["text"], "at", f"{decision['file'].split('/')[-1]}:{decision['line']}")

# CHECK: mixed 1 0: equal
# CHECK: mixed 1 1.0: equal
# CHECK: mixed 1 1.1: equal
# CHECK: mixed 5 0: equal
# CHECK: mixed 5 1.0: equal
# CHECK: mixed 5 1.1: equal
for batch in (1, 5):
    x = torch.randn(batch, 16)
    np.savez("in.npz", x=x, y=y)
    graphc("run", "mixed.gcx", "--inputs", "in.npz", "--outputs", "out.npz")
    out, expected = np.load("out.npz"), Mixed()(x, y)
    for name, theirs in zip(out.files, (expected[0], *expected[1])):
        close(f"mixed {batch} {name}", out[name], theirs)

# A model file runs directly; TorchScript takes dtypes and dims from the arrays.
# CHECK: direct mixed.pt: equal
# CHECK: direct mixed.pt2: equal
x = torch.randn(3, 16)
np.savez("in.npz", in0=x, in1=y, out0=np.zeros(1))
for model in ("mixed.pt", "mixed.pt2"):
    graphc("run", model, "--inputs", "in.npz", "--outputs", "out.npz")
    out = np.load("out.npz")
    close(f"direct {model}", out[out.files[0]], Mixed()(x, y)[0])

# CHECK: dim 0 is 4; the file says 3
print(graphc("mixed.pt2", "--input", "x=f32[4,16]", status=1))
# CHECK: input 'x' has {{.*}}17{{.*}}expected 16
np.savez("wrong.npz", x=np.zeros((2, 17), "f4"), y=y)
print(graphc("run", "mixed.gcx", "--inputs", "wrong.npz", status=1))

# CHECK: counter: equal
# CHECK: state  total = f32[2]
graphc("counter.pt", "--input", "x=f32[2]", "--bind", "scale=3", "--bind", "negate=True", "-o", "counter.gcx")
np.savez("in.npz", x=np.array([1, 2], "f4"))
graphc("run", "counter.gcx", "--inputs", "in.npz", "--outputs", "out.npz")
close("counter", np.load("out.npz")["out0"], [-3, -6])
print(graphc("inspect", "counter.gcx"))
# CHECK: --bind scale=abc: the argument is a float
print(graphc("counter.pt", "--input", "x=f32[2]", "--bind", "scale=abc", status=1))
# CHECK: has no method "nope"
print(graphc("counter.pt", "--method", "nope", status=1))

# Nothing is left behind where compiling fails, and the same input gives the same bytes.
# CHECK: same bytes: True
graphc("mixed.pt2", "-o", "one.gcx")
graphc("mixed.pt2", "-o", "two.gcx")
print("same bytes:", open("one.gcx", "rb").read() == open("two.gcx", "rb").read())
