# RUN: env PYTHONPATH=%S/Inputs %python %s
# REQUIRES: torch, python-torch
"""Old files: TorchScript archives of versions 3 to 10 and .pt2 files of schema 8.7 on, rewritten here into the layouts that older releases
wrote, against LibTorch and eager. What division, full and gelu meant then is the archive's version's to say (LibTorch's upgraders)."""
import io
import json
import os
import zipfile

import torch
from eager import Job, clause, current, finish, folder, jobs, numpy, program, save
import numpy as np

torch.manual_seed(0)
x = torch.randn(3, 4)
image = torch.randn(2, 3, 8, 8)


def entries(path):
    """Names without the root folder, and contents, of an archive."""
    with zipfile.ZipFile(path) as archive:
        return {name.split("/", 1)[1]: archive.read(name) for name in archive.namelist()}


def write(path, contents, root="archive/"):
    """Stored and aligned to 64 bytes, as torch writes them."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in contents.items():
            info = zipfile.ZipInfo(root + name)
            start = archive.fp.tell() + 30 + len(root + name)
            info.extra = b"FB" + (60 - start % 64).to_bytes(2, "little") + b"Z" * (60 - start % 64) if 60 - start % 64 >= 0 else b""
            archive.writestr(info, data)


def run(name, kind, path, inputs, wanted, specs=()):
    base = path.rsplit(".", 1)[0]
    np.savez(f"{base}.0.npz", **{f"in{i}": numpy(t) for i, t in enumerate(inputs)})
    command = [path, "--run", f"{base}.0.npz={base}.0.run.npz", "--compiled", f"{base}.0.npz={base}.0.compiled.npz"]
    for i, spec in enumerate(specs):
        command += ["--input", f"in{i}={spec}"]
    jobs.append(Job(current[0], name, kind, base, [{f"out{i}": t for i, t in enumerate(wanted)}], command))


def script(name, module, version, *inputs, specs, debug=False):
    """The module as an archive of that version: `version` at the root until 6, no debug files, no byte order; against LibTorch's reading of it."""
    path = os.path.join(folder, f"old{len(jobs)}.pt")
    torch.jit.script(module.eval()).save(path)
    contents = entries(path)
    old = {name: data for name, data in contents.items() if not name.startswith(".data/") and name not in ("byteorder", "version")}
    if not debug:
        old = {name: data for name, data in old.items() if not name.endswith(".debug_pkl")}
    old[".data/version" if version >= 6 else "version"] = f"{version}\n".encode()
    write(path, old)
    with torch.no_grad():
        wanted = torch.jit.load(path)(*inputs)
    run(f"{name}, version {version}", "pt", path, inputs, wanted if isinstance(wanted, tuple) else [wanted], specs)


clause("TorchScript archives of versions 3 to 10")
net = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3, 2, 1), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(4, 3))
for version in range(3, 11):
    script("a small net", net, version, image, specs=["f32[2,3,8,8]"], debug=version % 2 == 0)
division = """
def forward(self, x, n):
    return x / 2, n / 2, torch.div(n, 3), n.div(x.long() + 5)
"""
for version in (3, 4, 10):
    script("divisions", program(division), version, x, torch.tensor([-7, 7, 9, 4]), specs=["f32[3,4]", "i64[4]"])
for version in (4, 5, 9, 10):
    script("full, gelu, linspace", program("""
def forward(self, x):
    return torch.full([2, 3], 7), F.gelu(x), torch.linspace(0, 1, 5), torch.arange(3)
"""), version, x, specs=["f32[3,4]"])

clause("layouts A and B of .pt2, schema 8.7")


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 4)
        self.register_buffer("count", torch.zeros(1))
        self.register_buffer("scratch", torch.arange(4.0), persistent=False)

    def forward(self, x):
        self.count.add_(1)
        return {"y": self.fc(x) * self.scratch + torch.tensor([1.0, 2.0, 3.0, 4.0]), "n": self.count + 0}


def saved(tensors):
    file = io.BytesIO()
    torch.save(tensors, file)
    return file.getvalue()


def relayout(name, module, layout, *inputs, minor=7, dynamic=None):
    """The exported program in an older layout, with what that schema version lacked removed."""
    path = os.path.join(folder, f"old{len(jobs)}.pt2")
    exported = torch.export.export(module.eval(), inputs, strict=False, dynamic_shapes=dynamic)
    torch.export.save(exported, path)
    contents = entries(path)
    document = json.loads(contents["models/model.json"])
    document["schema_version"] = {"major": 8, "minor": minor}
    for key in ("guards_code", "torch_version", "verifiers"):
        document.pop(key, None)
    text = json.dumps(document).encode()
    weights, constants = saved(dict(exported.state_dict)), saved(dict(exported.constants))
    if layout == "A":
        write(path, {"version": f"8.{minor}".encode(), "serialized_exported_program.json": text, "serialized_state_dict.pt": weights,
                     "serialized_constants.pt": constants, "serialized_example_inputs.pt": saved(inputs)}, root="")
    else:
        write(path, {"archive_format": b"pt2", "archive_version": b"0", "byteorder": b"little", ".data/version": b"3", "models/model.json": text,
                     "data/weights/model.pt": weights, "data/constants/model.pt": constants, "data/sample_inputs/model.pt": saved(inputs)}, root="holder/")
    with torch.no_grad():
        wanted = module(*inputs)
    run(f"{name}, layout {layout}", "pt2", path, inputs, list(wanted.values()) if isinstance(wanted, dict) else [wanted])


for layout in "AB":
    relayout("weights, buffers, constants", Holder(), layout, x)
    relayout("a convolutional net", net, layout, image)
    relayout("symbolic dims", net, layout, image, dynamic={"input": {0: torch.export.Dim("B", min=1, max=16)}})

clause("files that older releases wrote (make_torch113.py, make_torch28.py)")


def stored(name, kind, specs=(), ways=("run", "compiled")):
    """A file beside the arrays that its own release computed. `ways`: what runs it."""
    folder_of = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "torchscript" if kind == "pt" else "pt2", "Inputs")
    arrays = np.load(os.path.join(folder_of, name + ".npz"))
    calls = 1 + max(int(key.split(".")[0]) for key in arrays.files)
    base, path = os.path.join(folder, f"stored{len(jobs)}"), os.path.join(folder_of, f"{name}.{kind}")
    command, wanted = [path], []
    for call in range(calls):
        part = lambda what: {key.split(".")[1]: arrays[key] for key in arrays.files if key.startswith(f"{call}.{what}")}
        np.savez(f"{base}.{call}.npz", **part("in"))
        wanted.append({key: torch.from_numpy(array) for key, array in part("out").items()})
        for way in ways:
            command += [f"--{way}", f"{base}.{call}.npz={base}.{call}.{way}.npz"]
    for i, spec in enumerate(specs):
        command += ["--input", f"in{i}={spec}"]
    jobs.append(Job(current[0], name, kind, base, wanted, command))


stored("torch113_recurrent", "pt", ["f32[2,3,4]"], ways=("compiled",))
stored("torch113_counter", "pt", ["f32[3,4]"])
stored("torch113_traced", "pt", ["f32[1,2,4,4]"])
stored("torch113_attention", "pt", ["f32[2,3,8]"] * 3)
stored("torch28_static", "pt2")
stored("torch28_symbolic", "pt2")
finish()
