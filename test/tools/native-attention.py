# nn.MultiheadAttention in eval mode traces to one fused operator: self-attention and attention between two sequences give eager's
# numbers.
# REQUIRES: graphc, torch, python-torch
# RUN: rm -rf %t && mkdir %t && cd %t && %python %s | FileCheck %s
import subprocess
import warnings

import numpy as np
import torch

warnings.filterwarnings("ignore")
torch.manual_seed(0)


class Attend(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = torch.nn.MultiheadAttention(24, 4, batch_first=True)
        torch.nn.init.normal_(self.attention.in_proj_bias)
        torch.nn.init.normal_(self.attention.out_proj.bias)

    def forward(self, query, key):
        return self.attention(query, key, key, need_weights=False)[0]


def run(*arguments):
    return subprocess.run(["graphc", *arguments], capture_output=True, text=True)


def compare(name, module, example, inputs):
    traced = torch.jit.trace(module, example, check_trace=False)
    print(name, "is", "fused" if "_native_multi_head_attention" in str(traced.inlined_graph) else "plain", flush=True)
    traced.save("model.pt")
    compiled = run("model.pt", *(word for i, x in enumerate(inputs) for word in ("--input", f"in{i}=f32[{','.join(map(str, x.shape))}]")))
    assert compiled.returncode == 0, compiled.stderr
    np.savez("in.npz", **{f"in{i}": x.numpy() for i, x in enumerate(inputs)})
    assert run("run", "model.gcx", "--inputs", "in.npz", "--outputs", "out.npz").returncode == 0
    with torch.no_grad():
        theirs = module(*inputs).numpy()
    ours = np.load("out.npz")["out0"]
    print(name, "equal" if np.allclose(ours, theirs, rtol=1e-5, atol=1e-6) else f"{ours} expected {theirs}", flush=True)


class SelfAttend(Attend):
    def forward(self, query):
        return super().forward(query, query)


with torch.inference_mode():
    x, memory = torch.randn(2, 5, 24), torch.randn(2, 5, 24)
    # CHECK: self is fused
    # CHECK: self equal
    compare("self", SelfAttend().eval(), (x,), [x])
    # CHECK: sequences equal
    compare("sequences", Attend().eval(), (x, memory), [x, memory])
