# graphc bisect: a bug planted in each pass of the pipeline, and in the machine code, is put down to that pass, and a kernel that it
# changed is named; a bug in the code of one kernel is put down to that kernel; without one nothing differs.
# REQUIRES: graphc, torch, python-torch
# RUN: rm -rf %t && mkdir %t && cd %t && %python %s | FileCheck %s
import json
import subprocess
import warnings

import torch

warnings.filterwarnings("ignore")
torch.manual_seed(0)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv1d(3, 8, 3, padding=1)
        self.lstm = torch.nn.LSTM(8, 6, batch_first=True)
        self.last = torch.nn.Linear(6, 4)

    def forward(self, x):
        x = torch.relu(self.conv(x)).transpose(1, 2)
        x = self.lstm(x)[0]
        return self.last(torch.nn.functional.layer_norm(x, (6,))).softmax(-1)


net = Net().eval()
x = torch.randn(2, 3, 4)
torch.jit.trace(net, x, check_trace=False).save("net.pt")
torch.export.save(torch.export.export(net, (x,)), "net.pt2")


def bisect(*arguments, status):
    done = subprocess.run(["graphc", "bisect", *arguments], capture_output=True, text=True)
    assert done.returncode == status, f"{arguments}: exit {done.returncode}, expected {status}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr if "--json" not in arguments else json.loads(done.stdout)


# CHECK: nothing differs
print(bisect("net.pt2", "--seeds", "1", status=0))

points = bisect("net.pt2", "--debug-plant", "nowhere", status=2).split("expected ")[1].strip().removesuffix(" or codegen:KERNEL").split(", ")
# CHECK: only passes can be left out
print("only passes can be left out" if "expected a pass of graphc-decompose" in bisect("net.pt2", "--debug-skip", "import", status=2) else "accepted")
# CHECK: at least 9 points
print("at least 9 points" if len(points) >= 9 and points[0] == "import" and points[-1] == "codegen" else points)
# CHECK: all named
wrong = []
for point in points:
    # One with eager as the reference, the others without.
    model = ["net.pt", "--input", "x=f32[2,3,4]"] if point == "graphc-fuse-kernels" else ["net.pt2"]
    report = bisect(*model, "--seeds", "1", "--debug-plant", point, "--json", status=5)
    finding = report["verify"]["finding"]
    if report["pass"] != point or not finding["kernel"] or "bisect-command.py:" not in finding["location"]:
        wrong.append((point, report["pass"], finding))
print("all named" if not wrong else wrong, flush=True)

# CHECK: each kernel named
wrong = []
for kernel in ("permute", "convolution_relu", "linear_add", "layer_norm", "softmax"):
    found = bisect("net.pt2", "--seeds", "1", "--debug-plant", f"codegen:{kernel}", "--json", status=5)
    if found["pass"] != "codegen" or found["verify"]["finding"]["kernel"] != kernel:
        wrong.append((kernel, found["pass"], found["verify"]["finding"]))
print("each kernel named" if not wrong else wrong, flush=True)

# CHECK: after graphc-fuse-kernels: right
# CHECK: after graphc-outline-kernels: wrong
# CHECK: first pass that changes the answer: graphc-outline-kernels
# CHECK: first op that differs: {{[a-z_]+}}{{.*}} at {{.*}}bisect-command.py:{{[0-9]+}}
print(bisect("net.pt2", "--seeds", "1", "--debug-plant", "graphc-outline-kernels", status=5))
# CHECK: every pass is right; the machine code is wrong
print(bisect("net.pt2", "--seeds", "1", "--debug-plant", "codegen", status=5))
