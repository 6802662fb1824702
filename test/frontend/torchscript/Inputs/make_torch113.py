"""Writes TorchScript files and what eager makes of them, by an old torch (1.13): make_torch113.py FOLDER"""
import os
import sys
from typing import List, Optional, Tuple
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn, Tensor


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 3, 2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(6, 2)

    def forward(self, x, state: Optional[Tuple[Tensor, Tensor]] = None):
        y, (h, c) = self.lstm(x, state)
        z, _ = self.gru(y)
        return {"z": z, "h": h}


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(4))
        self.scale = nn.Parameter(torch.full((4,), 0.5))

    def forward(self, x):
        self.total += x.sum(0)
        parts: List[Tensor] = []
        for i in range(x.size(0)):
            if i % 2 == 0:
                parts.append(x[i] * self.scale)
        return torch.stack(parts) + self.total, x.size(0) // 2, torch.floor_divide(x, 2), x / 3


class Traced(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(2, 3, 3, padding=1), nn.BatchNorm2d(3)

    def forward(self, x):
        y = F.hardswish(self.norm(self.conv(x)))
        b, c, h, w = y.shape
        y = F.interpolate(y, scale_factor=2.0, mode="bilinear", align_corners=False)
        return y.view(b, c, -1)[:, :, ::2], F.adaptive_avg_pool2d(y, 2).flatten(1), y.new_zeros(b, h * w)


torch.manual_seed(0)
folder = sys.argv[1]


def write(name, module, inputs, calls=1, trace=False):
    module = module.eval()
    saved = torch.jit.trace(module, inputs) if trace else torch.jit.script(module)
    saved.save(os.path.join(folder, name + ".pt"))
    saved = torch.jit.load(os.path.join(folder, name + ".pt"))
    arrays = {}
    with torch.no_grad():
        for call in range(calls):
            results = saved(*inputs)
            results = list(results.values()) if isinstance(results, dict) else [results] if isinstance(results, Tensor) else list(results)
            arrays.update({f"{call}.in{i}": t.numpy() for i, t in enumerate(inputs)})
            arrays.update({f"{call}.out{i}": np.asarray(t) for i, t in enumerate(results)})
    np.savez_compressed(os.path.join(folder, name + ".npz"), **arrays)


write("torch113_recurrent", Recurrent(), (torch.randn(2, 3, 4),))
write("torch113_counter", Counter(), (torch.randn(3, 4),), 2)
write("torch113_traced", Traced(), (torch.randn(1, 2, 4, 4),), trace=True)
write("torch113_attention", nn.MultiheadAttention(8, 2, batch_first=True), (torch.randn(2, 3, 8),) * 3)
