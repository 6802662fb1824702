"""Writes the .pt files that lie here: make_models.py FOLDER, run in a neutral folder, for files keep the path of their source."""
import enum
import os
import sys
import warnings
from typing import Dict, List, NamedTuple, Optional, Tuple

import torch
from torch import nn

warnings.filterwarnings("ignore")


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return torch.relu(self.fc(x))  # line 20


class Pair(NamedTuple):
    first: torch.Tensor
    second: List[torch.Tensor]


class Scripted(nn.Module):
    names: List[str]
    table: Dict[str, int]
    maybe: Optional[torch.Tensor]

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Block(), Block()])
        self.twin = self.layers[0]
        self.register_buffer("count", torch.zeros(1, dtype=torch.int64))
        self.register_buffer("scratch", torch.ones(2), persistent=False)
        self.names = ["a", "b"]
        self.table = {"k": 3}
        self.maybe = None
        self.scale = 0.5
        self.pair = (1, "two")
        self.flag = True

    def forward(self, x, n: int = 3, mode: str = "sum"):
        outs = []
        for layer in self.layers:  # unrolled: two different modules on one line
            x = layer(x)
            outs.append(x)
        for i in range(n):
            if i % 2 == 0:
                x = x + i  # line 54
            else:
                x = x * self.scale
        self.count += 1  # line 57
        if mode == "sum":
            y = torch.stack(outs).sum(0)
        else:
            raise ValueError("bad mode {}".format(mode))  # line 61
        part = x[:, 1:3]
        part[0] = 1.0
        return Pair(y, [x, part.to(torch.float64)]), {"len": len(outs)}

    @torch.jit.export
    def reset(self):
        self.count = torch.zeros([1], dtype=torch.int64, device=x_device())


def x_device() -> torch.device:
    return torch.device("cpu")


class Traced(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.soft = nn.Parameter(torch.ones(4).to(torch.bfloat16))
        view = torch.arange(6.0)
        self.register_buffer("left", view[:4])
        self.register_buffer("right", view[2:].as_strided((2, 2), (1, 2)))

    def forward(self, x):
        y = self.conv(x)  # line 86
        return y.mean([2, 3]) + self.soft + self.left, self.right


class Color(enum.Enum):
    RED = 1


class WithEnum(nn.Module):
    def __init__(self):
        super().__init__()
        self.color = Color.RED

    def forward(self, x):
        if self.color == Color.RED:
            return x
        return -x


class Hooked(nn.Module):
    def forward(self, x):
        return x + 1


class Complex(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("c", torch.zeros(2, dtype=torch.complex64))
        self.register_buffer("unused", torch.zeros(2, dtype=torch.complex64))

    def forward(self, x):
        return x + self.c.real

    @torch.jit.export
    def plain(self, x):
        return x + 1


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    torch.manual_seed(0)
    save = lambda module, name: module.save(os.path.join(folder, name + ".pt"))
    scripted = torch.jit.script(Scripted().eval())
    save(scripted, "scripted")
    save(torch.jit.trace(Traced().eval(), torch.rand(1, 3, 8, 8)), "traced")
    save(torch.jit.script(WithEnum()), "enum")
    save(torch.jit.script(Complex()), "complex")
    hooked = Hooked()
    hooked.register_forward_hook(hook)
    save(torch.jit.script(hooked), "hooked")
    torch.save(Traced().state_dict(), os.path.join(folder, "state_dict.pt"))
    torch.save(Traced().state_dict(), os.path.join(folder, "legacy.pt"), _use_new_zipfile_serialization=False)
    library = torch.library.Library("mine", "DEF")
    library.define("twice(Tensor x) -> Tensor")
    save(torch.jit.script(Custom()), "custom")


def hook(self, inputs: Tuple[torch.Tensor], output: torch.Tensor):
    return output * 2


class Custom(nn.Module):
    def forward(self, x):
        return torch.ops.mine.twice(x)


if __name__ == "__main__":
    main()
