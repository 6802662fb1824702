#!/usr/bin/env python3
"""bounds.py TBLGEN ROOT OUTPUT: the scalar op table's error bounds, as ir/scalar/ScalarOps.td states them, one {"exp", 2, 1}, a line: f32's and f64's in ulp."""
import json
import subprocess
import sys

tblgen, root, output = sys.argv[1:]
command = [tblgen, "--dump-json", f"-I{root}", "-I/usr/lib/llvm-22/include", f"{root}/ir/scalar/ScalarOps.td"]
records = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
ops = [records[name] for name in records["!instanceof"]["Scalar_Op"]]
with open(output, "w") as file:
    file.write("".join(f'{{"{op["opName"]}", {op["ulpF32"]}, {op["ulpF64"]}}},\n' for op in ops))
