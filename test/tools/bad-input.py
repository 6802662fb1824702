# Files and models that cannot be compiled: what was found, exit status 1, and nothing left behind.
# REQUIRES: graphc, torch, python-torch
# RUN: rm -rf %t && mkdir %t && cd %t && %python %s | FileCheck %s
import os
import subprocess
import warnings
import zipfile

import torch

warnings.filterwarnings("ignore")


def refused(*arguments, status=1):
    """The message; the file named by -o, and every temporary beside it, must not be there afterwards."""
    before = set(os.listdir("."))
    done = subprocess.run(["graphc", *arguments, "-o", "out.gcx"], capture_output=True, text=True)
    assert done.returncode == status, f"{arguments}: exit {done.returncode}\n{done.stderr}"
    assert set(os.listdir(".")) == before, f"{arguments} left {set(os.listdir('.')) - before}"
    assert "out.gcx" not in before and done.stdout == ""
    print(done.stderr, flush=True)


class Good(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) + 1


class Unsupported(torch.nn.Module):
    """Three operators that nothing imports, on two lines, and a good one."""

    def forward(self, x):
        a = torch.linalg.qr(x)[0] + torch.linalg.svdvals(x)
        return torch.relu(a) * torch.linalg.pinv(x)


def write(name, data):
    with open(name, "wb") as file:
        file.write(data)


torch.jit.script(Good()).save("good.pt")
torch.export.save(torch.export.export(Good(), (torch.randn(2),)), "good.pt2")
torch.save(Good().state_dict(), "state.pt")
torch.jit.script(Unsupported()).save("unsupported.pt")
X = ("--input", "x=f32[4,4]")

# CHECK: error: {{.*}}empty.pt{{.*}}
write("empty.pt", b"")
refused("empty.pt", *X)
# CHECK: error: {{.*}}text.pt{{.*}}zip
write("text.pt", b"hello " * 100)
refused("text.pt", *X)
# CHECK: error: {{.*}}plain.pt{{.*}}
with zipfile.ZipFile("plain.pt", "w") as archive:
    archive.writestr("readme.txt", "hello")
refused("plain.pt", *X)
# CHECK: error: {{.*}}state.pt{{.*}}state_dict
refused("state.pt", *X)

# Every eighth of both formats, cut there.
# CHECK-COUNT-14: error: {{.*}}cut.
for name in ("good.pt", "good.pt2"):
    whole = open(name, "rb").read()
    for part in range(1, 8):
        write("cut." + name, whole[:len(whole) * part // 8])
        refused("cut." + name, *X)

# A name that says something else changes nothing.
# CHECK: renamed: True
os.rename("good.pt", "renamed.pt2")
os.rename("good.pt2", "renamed.pt")
for name, arguments in (("renamed.pt2", ("--input", "x=f32[2]")), ("renamed.pt", ())):
    subprocess.run(["graphc", name, *arguments, "-o", "renamed.gcx"], check=True, capture_output=True)
print("renamed:", os.path.exists("renamed.gcx"))

# All that is unsupported, in one report, with the lines.
# CHECK: error: {{.*}}unsupported.pt{{.*}}not supported
# CHECK-DAG: linalg_qr
# CHECK-DAG: linalg_svdvals
# CHECK-DAG: linalg_pinv
# CHECK-DAG: bad-input.py:{{[0-9]+}}
refused("unsupported.pt", *X)
