#!/usr/bin/env python3
"""Checks what the compiler doesn't: which folder may include which, lengths of files and functions, a comment that opens each
source file, leaks of a machine's paths, files that pages name, tests by name.

  layering.py ROOT          prints one line per finding (FILE:LINE: what, and what to do), exit 1 if there are errors

The arrows are DESIGN's: frontend -> ir; passes -> ir; codegen -> ir, runtime/plan, runtime/status; runtime -> nothing of ours
and no LLVM, MLIR, LibTorch or fmt; tools and test -> all. Only frontend/torchscript may include LibTorch.
"""
import os
import re
import subprocess
import sys

ARROWS = {
    "ir": ["ir"],
    "frontend": ["frontend", "ir"],
    "passes": ["passes", "ir"],
    "codegen": ["codegen", "ir", "runtime/plan", "runtime/status"],
    "runtime": ["runtime"],
    "docs": ["runtime/graphc.h", "runtime/graphc.hpp"],
}
OUR_FOLDERS = ["ir", "frontend", "passes", "codegen", "runtime", "tools", "test"]
COMPILER_HEADERS = re.compile(r"^(mlir|mlir-c|llvm|llvm-c|lld|fmt|torch|ATen|c10)/")
TORCH_HEADERS = re.compile(r"^(torch|ATen|c10)/")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SOURCES = (".h", ".hpp", ".cpp", ".c", ".cc", ".cuh", ".td")
LINE_LIMIT, FUNCTION_LIMIT = 600, 80
NOT_FUNCTIONS = re.compile(r"\s*(namespace|class|struct|enum|union|extern|if|else|for|while|switch|do|case|default|try|catch)\b")
COUNTED = SOURCES + (".py", ".sh", ".cmake", ".fbs", "CMakeLists.txt")
# Absolute paths of somebody's machine. The distribution's own (/usr, /tmp, /proc, /dev, /etc) are not.
LEAK = re.compile(r"(?<![\w./~$}%-])/(?:root|home|work|farm|Users|mnt|opt)/[\w.]")


def tracked(root):
    listing = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"], check=True,
                             capture_output=True, text=True).stdout
    return [f for f in listing.splitlines() if os.path.isfile(os.path.join(root, f))]


def include_error(path, header):
    """Why the file `path` may not include `header` (paths from the root), or None."""
    top = path.split("/")[0]
    if TORCH_HEADERS.match(header) and not path.startswith(("frontend/torchscript/", "test/frontend/")):
        return "only frontend/torchscript includes LibTorch"
    if top in ("runtime", "docs") and COMPILER_HEADERS.match(header):
        return f"{top} may not include LLVM, MLIR, LibTorch or fmt"
    if top not in ARROWS or header.split("/")[0] not in OUR_FOLDERS:
        return None
    if any(header == a or header.startswith(a + "/") for a in ARROWS[top]):
        return None
    return f"{top} may include only {', '.join(ARROWS[top])}"


def check_lines(path, lines):
    findings = []
    for number, line in enumerate(lines, 1):
        include = INCLUDE.match(line)
        if include and path.endswith(SOURCES):
            why = include_error(path, include.group(2))
            if why:
                findings.append((path, number, f"includes {include.group(2)}: {why}"))
        if LEAK.search(line):
            findings.append((path, number, f"names a path of one machine: {LEAK.search(line).group(0)}…"))
    return findings


def long_functions(path, lines):
    """Functions as clang-format lays them out: the first line of the head and the closing '}' are the only ones at their indent
    (0, or 2 inside a class)."""
    opener = {}  # indent: number of the last line that stands at it
    for number, line in enumerate(lines, 1):
        indent = len(line) - len(line.lstrip())
        if indent not in (0, 2) or not line.strip() or line.lstrip().startswith(("//", "#")):
            continue
        start = opener.get(indent)
        if line.strip() == "}" and start and number - start + 1 > FUNCTION_LIMIT:
            head = lines[start - 1]
            if "(" in head and not NOT_FUNCTIONS.match(head):
                yield (path, start, f"a function of {number - start + 1} lines, the limit is {FUNCTION_LIMIT}: split it")
        opener[indent] = number
        if indent == 0:
            opener.pop(2, None)


def check_file(root, path):
    if path == "tools/layering.py" or path.startswith("test/tools/layering"):
        return []
    try:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            lines = file.read().splitlines()
    except UnicodeDecodeError:
        return []
    findings = check_lines(path, lines)
    if path.endswith(COUNTED) and len(lines) > LINE_LIMIT:
        findings.append((path, 1, f"has {len(lines)} lines, the limit is {LINE_LIMIT}: split it"))
    if path.endswith(".md"):
        findings += dead_links(root, path, lines)
    if path.endswith((".h", ".hpp", ".cpp", ".cuh")):
        findings += long_functions(path, lines)
        if not lines or not lines[0].startswith(("//", "/*")):
            findings.append((path, 1, "does not open with a comment that states its purpose"))
    return findings


LINK = re.compile(r"\]\(([^)#:]+)\)")
PATH_IN_TEXT = re.compile(r"`((?:ir|frontend|passes|codegen|runtime|tools|test|docs)/[\w./-]+\.\w+)`")


def dead_links(root, path, lines):
    """Links of a page to files that aren't there, and file names in backticks."""
    for number, line in enumerate(lines, 1):
        targets = [os.path.join(os.path.dirname(path), t) for t in LINK.findall(line)] + PATH_IN_TEXT.findall(line)
        for target in targets:
            if not os.path.exists(os.path.join(root, target)):
                yield (path, number, f"names {os.path.normpath(target)}, which is not there")


def kebab(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


def missing_tests(files):
    """Passes (passes/FusePointwise.cpp that registers a pass) whose lit test passes/fuse-pointwise.mlir is absent."""
    have = set(files)
    passes = [f for f in files if re.fullmatch(r"passes/[A-Z]\w*\.cpp", f) and not f.endswith("/Pipelines.cpp")]
    return [(f, 1, f"no test/passes/{kebab(os.path.basename(f)[:-4])}.mlir") for f in passes
            if f"test/passes/{kebab(os.path.basename(f)[:-4])}.mlir" not in have]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = sys.argv[1]
    files = tracked(root)
    errors = [finding for path in files for finding in check_file(root, path)]
    warnings = missing_tests(files)
    for path, line, text in errors:
        print(f"{path}:{line}: error: {text}")
    for path, line, text in warnings:
        print(f"{path}:{line}: warning: {text}")
    print(f"layering: {len(files)} files, {len(errors)} errors, {len(warnings)} warnings")
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
