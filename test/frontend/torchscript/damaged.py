# RUN: rm -rf %t && mkdir %t && cd %t && %python %s | FileCheck %s
# REQUIRES: torch, python-torch
"""TorchScript archives of other versions, without an entry, with a weights record shorter than its tensor, with a ScriptObject: each is refused by what was
found, as a whole one is read."""
import subprocess
import warnings
import zipfile

import torch

warnings.filterwarnings("ignore")
torch.jit.script(torch.nn.Linear(4, 4)).save("linear.pt")
with zipfile.ZipFile("linear.pt") as archive:
    entries = {name.removeprefix("linear/"): archive.read(name) for name in archive.namelist()}


def read(path, status):
    done = subprocess.run(["graphc-read", path], capture_output=True, text=True)
    assert done.returncode == status, f"{path}: exit {done.returncode}\n{done.stderr}"
    print(done.stderr.strip() or "read", flush=True)


def damaged(**changes):
    with zipfile.ZipFile("damaged.pt", "w") as archive:
        for name, data in (entries | {key.replace("__", "/").replace("_pkl", ".pkl"): value for key, value in changes.items()}).items():
            if data is not None:
                archive.writestr("linear/" + name, data)
    read("damaged.pt", 1 if changes else 0)


# CHECK: read
damaged()
# CHECK: TorchScript archive version "99"; versions 3 to 10 can be read
damaged(version=b"99")
# CHECK: TorchScript archive version "ten"; versions 3 to 10 can be read
damaged(version=b"ten")
# CHECK: the TorchScript archive has no version entry
damaged(version=None)
# CHECK: a file of torch.save
damaged(constants_pkl=None)
# CHECK: a zip file without linear/data.pkl
damaged(data_pkl=None)
# CHECK: the weights record linear/data/0 is missing
damaged(data__0=None)
# CHECK: the weights record linear/data/0 has 60 bytes; expected 16 elements of f32
damaged(data__0=entries["data/0"][:60])
# CHECK: the weights record linear/data/0 has 0 bytes; expected 16 elements of f32
damaged(data__0=b"")
quantized = torch.ao.quantization.quantize_dynamic(torch.nn.Sequential(torch.nn.Linear(4, 4)), {torch.nn.Linear}, dtype=torch.qint8)
torch.jit.script(quantized).save("quantized.pt")
# CHECK: the attribute 0._packed_params._packed_params is a custom object of type __torch__.torch.classes.quantized.LinearPackedParamsBase
read("quantized.pt", 1)
