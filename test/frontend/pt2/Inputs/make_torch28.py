"""Writes .pt2 files and what eager makes of them, by the torch at hand (2.8): make_torch28.py FOLDER"""
import os
import sys
import numpy as np
import torch
from torch import nn
from torch.export import Dim


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 4, 3, 2, 1), nn.BatchNorm2d(4)
        self.head = nn.Linear(4, 2)
        self.register_buffer("count", torch.zeros(1))
        self.register_buffer("scale", torch.tensor([2.0, 0.5]), persistent=False)

    def forward(self, x):
        self.count.add_(1)
        y = nn.functional.relu(self.norm(self.conv(x)), inplace=True)
        return {"y": self.head(y.mean((2, 3))) * self.scale + torch.tensor([1.0, 2.0]), "n": self.count + 0}


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(8, 24), nn.Linear(8, 8)

    def forward(self, x, lengths):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        mask = torch.arange(t)[None, :] < lengths[:, None]
        w = (q @ k.transpose(-2, -1) / 2.0).masked_fill(~mask[:, None, None, :], -1e9).softmax(-1)
        with torch.no_grad():
            y = (w @ v).transpose(1, 2).reshape(b, t, d)
        return self.out(y) + x, y[:, 1:] * t


torch.manual_seed(0)
folder = sys.argv[1]


def write(name, module, inputs, more=(), dynamic=None):
    module = module.eval()
    program = torch.export.export(module, inputs, strict=False, dynamic_shapes=dynamic)
    torch.export.save(program, os.path.join(folder, name + ".pt2"))
    arrays = {}
    with torch.no_grad():
        for call, values in enumerate([inputs, *more]):
            results = module(*values)
            results = list(results.values()) if isinstance(results, dict) else list(results)
            arrays |= {f"{call}.in{i}": t.numpy() for i, t in enumerate(values)} | {f"{call}.out{i}": t.numpy() for i, t in enumerate(results)}
    np.savez_compressed(os.path.join(folder, name + ".npz"), **arrays)


image = torch.randn(1, 3, 6, 6)
net = Net()
net.norm.running_mean.uniform_()
net.norm.running_var.uniform_(0.5, 1)
write("torch28_static", net, (image,), [(image,)])
net.count.zero_()
B, T = Dim("B", min=1, max=64), Dim("T", min=3, max=32)
write("torch28_symbolic", Attention(), (torch.randn(2, 5, 8), torch.tensor([5, 3])), [(torch.randn(3, 4, 8), torch.tensor([1, 4, 2]))], ({0: B, 1: T}, {0: B}))
