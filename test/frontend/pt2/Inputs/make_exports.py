"""Exports the programs of exported.test with torch: make_exports.py FOLDER. Line numbers below are checked by the test."""
import os
import sys
import warnings
import zipfile
from typing import NamedTuple

import torch
from torch import nn

warnings.filterwarnings("ignore")


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return torch.relu(self.fc(x))  # line 20


class Out(NamedTuple):
    logits: torch.Tensor
    parts: list


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.tied = self.block.fc.weight
        self.norm = nn.BatchNorm1d(4)
        self.register_buffer("count", torch.zeros(2))
        self.register_buffer("ramp", torch.arange(4.0), persistent=False)
        self.lifted = torch.tensor([1.0, 2.0])

    def forward(self, x, extra, n: int):
        with torch.no_grad():
            y = self.block(x)
        self.count.add_(1)  # line 41
        z = self.norm(torch.cat([y, extra["a"]], 0)) + self.ramp
        head, tail = torch.split(z, [1, z.shape[0] - 1])
        x[0] = 1.0  # line 44
        scaled = torch.zeros(int(x.shape[0] * 1.5)) + self.lifted.sum()
        return Out(z * n, [head, {"tail": tail}]), scaled, z.shape[0] * 2


def save_old(program, folder):
    """The same program as torch 2.7 (layout A) and 2.8 (layout B) laid it out: tensors pickled by torch.save."""
    artifact = torch._export.serde.serialize.serialize(program)
    layouts = {
        "layout_a": {"version": b"8.7", "serialized_exported_program.json": artifact.exported_program,
                     "serialized_state_dict.pt": artifact.state_dict, "serialized_constants.pt": artifact.constants},
        "layout_b": {"m/archive_format": b"pt2", "m/archive_version": b"0", "m/byteorder": b"little",
                     "m/models/model.json": artifact.exported_program, "m/data/weights/model.pt": artifact.state_dict,
                     "m/data/constants/model.pt": artifact.constants}}
    for name, entries in layouts.items():
        with zipfile.ZipFile(os.path.join(folder, name + ".pt2"), "w") as archive:
            for entry, data in entries.items():
                archive.writestr(entry, data)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    torch.manual_seed(0)
    torch.utils._pytree._register_namedtuple(Out, serialized_type_name="model.Out")
    batch = torch.export.Dim.DYNAMIC
    args = (torch.rand(6, 4), {"a": torch.rand(6, 4)}, 2)
    for strict in (False, True):
        program = torch.export.export(Model().eval(), args, dynamic_shapes=({0: batch}, {"a": {0: batch}}, None),
                                      strict=strict)
        name = "strict" if strict else "training"
        torch.export.save(program, os.path.join(folder, name + ".pt2"))
        if not strict:
            save_old(program, folder)
            torch.export.save(program.run_decompositions(), os.path.join(folder, "core.pt2"))

    class Branch(nn.Module):
        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda v: v + 1, lambda v: v - 1, (x,))

    torch.export.save(torch.export.export(Branch(), (torch.rand(3),)), os.path.join(folder, "branch.pt2"))


if __name__ == "__main__":
    main()
