#!/usr/bin/env python3
"""Writes frontend/aten/AtenSchemas.inc: the schemas of ATen operators, out of the installed torch.

  make_schema_table.py OUT        needs torch in Python; run it with the torch version that tools/requirements-wheels.txt pins

One schema a line without "aten::", sorted by name, inside one raw string literal. Left out: out= variants, and families that no
model file calls (vendor kernels, sparse, quantized, nested and _foreach ones).
"""
import re
import sys

import torch

SKIPPED = re.compile(
    r"^_?(foreach|fused|sparse|cudnn|miopen|mkldnn|mkl|mps|nnpack|fbgemm|nested|quantized|quantize|thnn|coalesce|test|"
    r"cuda|use_cudnn|cslt|amp|fake_quantize|dequantize|to_sparse|to_mkldnn|to_cpu|make_dual|Delete|dict|sobol|philox|"
    r"validate|triton|wrapped|scaled_grouped|weight_int|convert_weight|choose_qparams|"
    r"dyn_quant|int_mm|ctc|fft)")


def wanted(schema):
    if not schema.name.startswith("aten::") or any(argument.is_out for argument in schema.arguments):
        return False
    return not SKIPPED.match(schema.name[len("aten::"):])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    schemas = {}
    for schema in torch._C._jit_get_all_schemas():
        if wanted(schema):
            text = str(schema)[len("aten::"):]
            schemas[text[:text.index("(")]] = text
    lines = [schemas[key] for key in sorted(schemas, key=lambda name: name.encode())]
    if any(')schemas"' in line or "\n" in line for line in lines):
        sys.exit("a schema contains the literal's end mark or a line break")
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write(f"// {len(lines)} ATen schemas of torch {torch.__version__.split('+')[0]}; written by "
                  "tools/aten/make_schema_table.py, don't edit.\n")
        for start in range(0, len(lines), 100):
            out.write('R"schemas(' + "\n".join(lines[start:start + 100]) + '\n)schemas"\n')
    print(f"{len(lines)} schemas")


if __name__ == "__main__":
    main()
