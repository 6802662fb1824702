"""layering_tree.py FOLDER good|bad: writes a source tree that the layering check accepts, or adds one that it doesn't."""
import pathlib
import sys


def function(lines, indent=""):
    """A function of so many lines, its head on two of them, with a lambda and a block inside."""
    head = f"{indent}int f(int x,\n{indent}      int y) {{\n"
    body = [f"auto g = [&](int z) {{", "  return z;", "};", "if (x) {", "  ++x;", "}"]
    body += ["x += 1;"] * (lines - 3 - len(body))
    return head + "".join(f"{indent}  {line}\n" for line in body) + f"{indent}}}\n"


GOOD = {
    "passes/Good.cpp": '// A pass.\n#include "ir/graph/Graph.h"\n' + function(80),
    "frontend/torchscript/Reader.cpp": "// A reader.\n#include <torch/script.h>\n",
    "codegen/Emit.cpp": '// Emits.\n#include "runtime/plan/KernelAbi.h"\n',
    "docs/Page.md": "[emit](../codegen/Emit.cpp), `passes/Good.cpp`, `codegen/`, [out](https://example.org/x)\n",
    "class.h": "// A class of more than 80 lines is fine.\nclass A {\n" + function(60, "  ") * 2 + "};\n",
}
BAD = {
    "ir/Bad.cpp": '// Up.\n#include "passes/Passes.h"\n',
    "runtime/Bad.h": '// Out.\n#include "mlir/IR/Builders.h"\n',
    "codegen/Bad.cpp": '// Across.\n#include "runtime/Model.h"\n',
    "passes/Torch.cpp": "// Torch.\n#include <ATen/ATen.h>\n",
    "leak.py": "x = '/ro" + "ot/thing'\n",
    "long.cpp": "// Long.\n" * 601,
    "function.cpp": "// Long.\n" + function(81),
    "method.cpp": "// Long.\nclass A {\n" + function(81, "  ") + "};\n",
    "docs/Bad.md": "[gone](Gone.md)\n`ir/Gone.cpp`\n",
    "bare.cpp": "int x;\n",
}
root, which = pathlib.Path(sys.argv[1]), sys.argv[2]
for name, text in {"good": GOOD, "bad": BAD}[which].items():
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)
