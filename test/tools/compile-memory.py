# Compiling a model with 200 MB of weights stays below 3 times the weights + 600 MiB resident, all processes together: weights stay
# mapped, packed ones are made once, and the artifact goes to its file from where they are.
# REQUIRES: graphc, torch, python-torch
# UNSUPPORTED: sanitize
# RUN: rm -rf %t && mkdir %t && cd %t && %python %s | FileCheck %s
# RUN: rm -rf %t
import os
import subprocess
import time
import warnings

import torch

warnings.filterwarnings("ignore")
MIB = 1 << 20


class Layers(torch.nn.Module):
    """Linear layers whose weights get packed, a convolution, and an embedding, which stays as it is."""

    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(12_000, 1024)
        self.linears = torch.nn.ModuleList(torch.nn.Linear(1024, 1024) for _ in range(32))
        self.conv = torch.nn.Conv1d(1024, 1024, 4, bias=False)

    def forward(self, ids):
        x = self.embedding(ids)
        for linear in self.linears:
            x = linear(x).relu()
        return self.conv(x.transpose(1, 2))


def resident(pid):
    """Bytes of the process and its descendants."""
    total = 0
    try:
        with open(f"/proc/{pid}/statm") as statm:
            total = int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        with open(f"/proc/{pid}/task/{pid}/children") as children:
            total += sum(resident(child) for child in children.read().split())
    except (OSError, IndexError):
        pass  # it has just ended
    return total


def high_water(pid):
    """The largest resident size that the one process has had, in bytes; 0 once it is gone."""
    try:
        with open(f"/proc/{pid}/status") as status:
            return next((int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM")), 0)
    except OSError:
        return 0


def peak_of(*command):
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    peak = 0
    while process.poll() is None:
        peak = max(peak, resident(process.pid), high_water(process.pid))
        time.sleep(0.005)
    assert process.returncode == 0, process.stderr.read()
    return peak


model = Layers().eval()
weights = sum(p.numel() * p.element_size() for p in model.parameters())
ids = torch.arange(8).reshape(1, 8)
torch.jit.script(model).save("model.pt")
torch.export.save(torch.export.export(model, (ids,)), "model.pt2")
# CHECK: weights: at least 190 MB
print("weights:", "at least 190 MB" if weights >= 190e6 else weights)
limit = 3 * weights + 600 * MIB
# CHECK-NEXT: model.pt: True True
# CHECK-NEXT: model.pt2: True True
for name, inputs in {"model.pt": ["--input", "ids=i64[1,8]"], "model.pt2": []}.items():
    peak = peak_of("graphc", name, *inputs, "--target", "cpu:x86-64-v3", "-o", "model.gcx")
    print(f"{name}: {weights < peak < limit or f'{peak / MIB:.0f} MiB, limit {limit / MIB:.0f}'} "
          f"{os.path.getsize('model.gcx') > weights}", flush=True)
