# graphc verify: right programs (TorchScript against eager, .pt2 against the interpreter; state, unrolled loops, symbolic dims, integers),
# bugs planted in the machine code and in passes are found and named with their Python line, --json, what is said about wrong use.
# REQUIRES: graphc, torch, python-torch
# RUN: rm -rf %t && mkdir %t && cd %t && %python %s | FileCheck %s
import json
import subprocess
import warnings
from typing import Tuple

import numpy as np
import torch
from torch import Tensor

warnings.filterwarnings("ignore")
torch.manual_seed(0)


def graphc(*arguments, status=0):
    done = subprocess.run(["graphc", *arguments], capture_output=True, text=True)
    assert done.returncode == status, f"{arguments}: exit {done.returncode}, expected {status}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def show(name, text):
    print(f"-- {name}\n{text}", flush=True)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(8)
        self.first = torch.nn.Linear(8, 16)
        self.last = torch.nn.Linear(16, 4)

    def forward(self, x):
        x = torch.relu_(self.norm(self.conv(x))).mean((2, 3))
        x = torch.tanh(self.first(x)) * 0.5
        logits = self.last(x)
        return logits, logits.argmax(-1)


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.total = torch.zeros(4)

    def forward(self, x, scale: float):
        self.total = self.total + x
        return self.total * scale


class Scaled(torch.nn.Module):
    def forward(self, x, pair: Tuple[Tensor, int], scale: float, shift: int, flip: bool):
        y, n = pair
        return (x * scale + shift) * n - y, x.masked_fill(x > shift, scale), flip


class Loop(torch.nn.Module):
    def forward(self, x, steps: int):
        for i in range(steps):
            x = torch.sin(x) + i
            if i % 2 == 0:
                x = x.softmax(-1)
        return x


class Mutating(torch.nn.Module):
    def forward(self, x):
        y = x.clone()
        y[:, 1:] += 1.0
        y.mul_(x)
        y[0].zero_()
        return y.sum(0), y


net = Net().eval()
x = torch.randn(2, 3, 8, 8)
torch.jit.trace(net, x, check_trace=False).save("net.pt")
batch = torch.export.Dim("batch", min=2, max=16)
torch.export.save(torch.export.export(net, (x,), dynamic_shapes={"x": {0: batch}}), "net.pt2")
torch.jit.script(Counter()).save("counter.pt")
torch.jit.script(Loop()).save("loop.pt")
torch.jit.script(Scaled()).save("scaled.pt")
torch.jit.script(Mutating()).save("mutating.pt")
np.savez("x.npz", x=x.numpy())
np.savez("other.npz", in0=np.full((2, 3, 8, 8), 0.25, "f4"))

# CHECK-LABEL: -- eager
# CHECK: net.pt against eager PyTorch (LibTorch), errors against fp64; {{[0-9]+}} kernels
# CHECK-NEXT: seed 1: {{[1-9]}} values compared on the way
# CHECK-NEXT: right 0 f32[2,4]: rms error {{.*}} (eager {{.*}}, allowed {{.*}}), largest
# CHECK-NEXT: right 1 i64[2]: equal
# CHECK-NEXT: seed 2: {{[1-9]}} values
show("eager", graphc("verify", "net.pt", "--input", "x=f32[2,3,8,8]"))

# Files are sets of their own; without --input a TorchScript file takes dtypes and dims from the first.
# CHECK-LABEL: -- files
# CHECK: x.npz: {{[1-9]}} values
# CHECK: other.npz: {{[1-9]}} values
show("files", graphc("verify", "net.pt", "--inputs", "x.npz", "--inputs", "other.npz", "--threads", "1"))

# CHECK-LABEL: -- interpreter
# CHECK: net.pt2 against the interpreter in double
# CHECK: seed 1: {{[1-9]}} values
# CHECK-NEXT: right {{.*}} f32[2,4]
# CHECK: seed 3: {{[1-9]}} values
# CHECK-NEXT: right {{.*}} f32[8,4]
show("interpreter", graphc("verify", "net.pt2", "--seeds", "3"))

# CHECK-LABEL: -- state
# CHECK: seed 1:
# CHECK: seed 1, call 2:
# CHECK: seed 1, call 3:
# CHECK-NOT: WRONG
show("state", graphc("verify", "counter.pt", "--input", "x=f32[4]", "--bind", "scale=2.5", "--seeds", "1"))

# Numbers that nothing binds are inputs, of eager too; one is inside of a tuple.
# CHECK-LABEL: -- numbers
# CHECK: scaled.pt against eager PyTorch
# CHECK: right 0 f32[4]
# CHECK: right 1 f32[4]
# CHECK: right 2 bool[]: equal
# CHECK: seed 2:
# CHECK-NOT: WRONG
show("numbers", graphc("verify", "scaled.pt", "--input", "x=f32[4]", "--input", "pair.0=f32[4]"))

# Each iteration is a value of its own.
# CHECK-LABEL: -- loop
# CHECK: {{[2-9]|1[0-9]}} values compared
# CHECK-NOT: WRONG
show("loop", graphc("verify", "loop.pt", "--input", "x=f32[3,5]", "--bind", "steps=5", "-O", "none", "--seeds", "1"))

# CHECK-LABEL: -- mutating
# CHECK: right 0 f32[5]
# CHECK: right 1 f32[3,5]
show("mutating", graphc("verify", "mutating.pt", "--input", "x=f32[3,5]", "--seeds", "1"))

# A bug in the machine code: the op, its line, what the kernel holds, and that the kernel itself is fine.
# CHECK-LABEL: -- planted in the code
# CHECK: WRONG
# CHECK: first op that differs: {{[a-z_]+}} (value {{.*}}) at {{.*}}verify-command.py:{{[0-9]+}}
# CHECK: kernel {{[a-z_0-9]+}}, f32[{{.*}}], launch {{[0-9]+}} of the run, made of the ops at
# CHECK-NEXT: verify-command.py:
# CHECK: the kernel's code is wrong: interpreting the kernel on the inputs that it got gives another value
# CHECK: graphc: error: 'net.pt' is computed wrongly
show("planted in the code", graphc("verify", "net.pt", "--input", "x=f32[2,3,8,8]", "--debug-plant", "codegen", status=5))

# CHECK-LABEL: -- planted in a pass
# CHECK: first op that differs: {{[a-z_]+}} (value {{.*}}) at {{.*}}verify-command.py:{{[0-9]+}}
# CHECK: a pass made a wrong kernel of the program
show("planted in a pass", graphc("verify", "net.pt2", "--debug-plant", "graphc-decompose", status=5))

# In the loop, the bug is in the middle: the value is one of a later iteration.
# CHECK-LABEL: -- planted in a loop
# CHECK: first op that differs: {{sin|add|softmax}}{{.*}}verify-command.py:
show("planted in a loop", graphc("verify", "loop.pt", "--input", "x=f32[3,5]", "--bind", "steps=5", "-O", "none", "--debug-plant", "import", status=5))

# CHECK-LABEL: -- json
# CHECK: True eager PyTorch (LibTorch), errors against fp64 ['0', '1'] False
# CHECK: False codegen True True
show("json", "")
report = json.loads(graphc("verify", "net.pt", "--inputs", "x.npz", "--json"))
print(report["right"], report["reference"], [o["name"] for o in report["calls"][0]["outputs"]], "finding" in report)
done = subprocess.run(["graphc", "verify", "net.pt", "--inputs", "x.npz", "--json", "--debug-plant", "codegen"], capture_output=True, text=True)
report = json.loads(done.stdout)
finding = report["finding"]
print(report["right"], "codegen", "verify-command.py:" in finding["location"], finding["verdict"]["error"]["rms"] > 0.01, flush=True)

# CHECK-LABEL: -- use
# CHECK: error: --reference 'onnx': expected eager or interpreter
show("use", graphc("verify", "net.pt", "--reference", "onnx", status=2))
# CHECK: 'net.pt' does not say what it is called with
print(graphc("verify", "net.pt", status=1))
np.savez("wrong.npz", y=np.zeros((2, 3, 8, 8), "f4"))
np.savez("shape.npz", x=np.zeros((2, 3, 8, 9), "f4"))
# CHECK: 'wrong.npz' has no array for the input x: name it 'x' or 'in0'
print(graphc("verify", "net.pt", "--input", "x=f32[2,3,8,8]", "--inputs", "wrong.npz", status=1))
# CHECK: the array for x is f32[2,3,8,9], expected dims [2,3,8,8]
print(graphc("verify", "net.pt", "--input", "x=f32[2,3,8,8]", "--inputs", "shape.npz", status=1))
graphc("net.pt", "--input", "x=f32[2,3,8,8]", "-o", "net.gcx")
# CHECK: 'net.gcx' is compiled already: verify and bisect take the model that it was compiled from
print(graphc("verify", "net.gcx", status=1))
# CHECK: --debug-plant nowhere: expected import, graphc-decompose, {{.*}}, codegen
print(graphc("verify", "net.pt2", "--debug-plant", "nowhere", status=2))
