"""Writes the models of installed_test.py into a folder: layer.pt, layer.pt2, gather.pt, eigenvalues.pt, expected.npz. Runs where PyTorch is."""
import pathlib
import sys

import numpy as np
import torch

folder = pathlib.Path(sys.argv[1])
torch.manual_seed(0)


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 4)

    def forward(self, x):
        return torch.relu(self.linear(x))


class Gather(torch.nn.Module):
    def forward(self, x, i):
        return x[i] * 2


class Eigenvalues(torch.nn.Module):
    def forward(self, x):
        return torch.linalg.eigvalsh(x)


layer, x = Layer().eval().requires_grad_(False), torch.randn(3, 8)
torch.jit.script(layer).save(folder / "layer.pt")
torch.export.save(torch.export.export(layer, (x,)), folder / "layer.pt2")
torch.jit.script(Gather()).save(folder / "gather.pt")
torch.jit.script(Eigenvalues()).save(folder / "eigenvalues.pt")
np.savez(folder / "expected.npz", x=x, y=layer(x))
