# --numerics strict: f16 and bf16 results round after every op, so that a fused kernel gives eager's bits; by default they round where
# the kernel ends.
# REQUIRES: graphc, torch, python-torch
# RUN: rm -rf %t && mkdir %t && cd %t && %python %s | FileCheck %s
import subprocess
import warnings

import numpy as np
import torch

warnings.filterwarnings("ignore")


class Chain(torch.nn.Module):
    """Adding 1000 loses most bits of a 16-bit x; every op here is correctly rounded, so that only the places of rounding matter."""

    def forward(self, x):
        y = ((x * 3 + 1000) - 1000).relu()
        return y, y.reshape(8, 32).transpose(0, 1) / (x.reshape(32, 8) - 7)


def compiled(path, dtype, options):
    name = f"{path}-{'-'.join(options).strip('-')}"
    done = subprocess.run(["graphc", f"{path}.pt", "--input", f"x={dtype}[256]", "-o", f"{name}.gcx", *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    done = subprocess.run(["graphc", "run", f"{name}.gcx", "--inputs", f"{path}.npz", "--outputs", f"{name}.npz"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    arrays = np.load(f"{name}.npz")
    return [arrays[key].astype(np.float32) for key in arrays.files]


def same(ours, theirs):
    return all(np.array_equal(a, b) for a, b in zip(ours, theirs))


torch.manual_seed(0)
for name, dtype in (("f16", torch.float16), ("bf16", torch.bfloat16)):
    x = torch.randn(256).to(dtype)
    torch.jit.script(Chain()).save(f"{name}.pt")
    np.savez(f"{name}.npz", x=x.float().numpy())
    eager = [y.float().numpy() for y in Chain()(x)]
    strict, default, alone = (compiled(name, name, options) for options in (["--numerics", "strict"], ["--numerics", "default"], ["-O", "none"]))
    # CHECK: f16 strict True default False unfused True
    # CHECK: bf16 strict True default False unfused True
    print(name, "strict", same(strict, eager), "default", same(default, eager), "unfused", same(alone, eager), flush=True)

# CHECK: model f16.pt, method forward, numerics strict
subprocess.run(["graphc", "inspect", "f16-numerics-strict.gcx"])
# CHECK: error: --numerics 'fast': expected default or strict
subprocess.run("graphc f16.pt --numerics fast 2>&1", shell=True)
