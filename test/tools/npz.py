# NumPy's files, stored and deflated, through the tools' reader and writer, compared with NumPy.
# REQUIRES: python-torch
# RUN: %python %s %build/test/npz-copy %t | FileCheck %s
# CHECK: stored: 14 arrays equal
# CHECK: deflated: 14 arrays equal
import subprocess
import sys

import numpy as np

tool, base = sys.argv[1:]
rng = np.random.default_rng(0)
arrays = {f"a{i}": rng.standard_normal((3, 5, 7)).astype(d) for i, d in enumerate(["f2", "f4", "f8", ">f4"])}
arrays |= {f"i{i}": rng.integers(0, 100, (11,)).astype(d) for i, d in enumerate(["i1", "u1", "i2", "i4", "i8"])}
arrays |= {"bool": rng.integers(0, 2, (4, 4)).astype(bool), "scalar": np.float32(3.5), "empty": np.zeros((0, 3), "f4"),
           "fortran": np.asfortranarray(rng.standard_normal((4, 3, 2))), "name.with/parts": np.arange(100000)}
for kind, save in (("stored", np.savez), ("deflated", np.savez_compressed)):
    save(f"{base}.{kind}.npz", **arrays)
    subprocess.run([tool, f"{base}.{kind}.npz", f"{base}.out.npz"], check=True, stdout=subprocess.DEVNULL)
    back = np.load(f"{base}.out.npz")
    assert back.files == list(arrays), back.files
    for name, array in arrays.items():
        assert back[name].shape == array.shape and back[name].dtype == array.dtype.newbyteorder("="), name
        np.testing.assert_array_equal(back[name], array)
    print(f"{kind}: {len(back.files)} arrays equal")
