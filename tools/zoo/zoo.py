#!/usr/bin/env python3
"""Compiles and judges about a hundred models that people use: each as .pt and .pt2, batch 1 and 3, and with a symbolic batch.

  zoo.py list
  zoo.py export DIR [NAME …]                   builds the models and writes their files into DIR; what is there is kept
  zoo.py check DIR --graphc PATH [NAME …]      compiles and runs them; writes DIR/results.json, prints one line per file that is not right
  zoo.py table DIR                             the results as a page (docs/Zoo.md)

Needs the tests' Python environment and, for some models, `pip install --no-deps --target FOLDER -r tools/zoo/requirements.txt` with
PYTHONPATH=FOLDER. An answer is right by the rules of test/models/support.py: not worse than eager PyTorch against fp64 by more than the
documented margin. Exits 1 when a file that exported is not right.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "test" / "models")]
import support

DTYPES = {"float32": "f32", "float64": "f64", "float16": "f16", "int64": "i64", "int32": "i32", "uint8": "u8", "bool": "bool"}
KINDS = ("@1.pt", "@1.pt2", "@3.pt", "@3.pt2", ".dyn.pt2")


def names():
    import export
    return list(export.MODELS)


def export_models(folder, chosen, timeout):
    folder.mkdir(parents=True, exist_ok=True)
    for name in chosen:
        if (folder / f"{name}.json").exists():
            continue
        try:
            done = subprocess.run([sys.executable, HERE / "export.py", folder, name], capture_output=True, text=True, timeout=timeout)
            message = (done.stderr.strip().splitlines() or ["no message"])[-1] if done.returncode else ""
        except subprocess.TimeoutExpired:
            message = f"not exported within {timeout} s"
        if message:
            (folder / f"{name}.json").write_text(json.dumps({"build": message}))
        print(name, json.loads((folder / f"{name}.json").read_text()) or "exported", flush=True)


def arrays(case, kind):
    return [case[f"{kind}{i}"] for i in range(sum(key.startswith(kind) for key in case.files))]


def input_flags(case):
    return [flag for i, x in enumerate(arrays(case, "in"))
            for flag in ("--input", f"in{i}={DTYPES[x.dtype.name]}[{','.join(map(str, x.shape))}]")]


def call(graphc, timeout, *arguments):
    """The failure's last line, or None."""
    try:
        done = subprocess.run([str(graphc), *map(str, arguments)], capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return f"not done within {timeout} s"
    if done.returncode:
        lines = [line for line in done.stderr.strip().splitlines() if "error" in line] or done.stderr.strip().splitlines() or ["no message"]
        return f"exit {done.returncode}: {lines[0][:300]}"
    return None


def judge_case(case, outputs):
    """None when every output is right, else what is wrong."""
    references, eager = arrays(case, "out"), arrays(case, "eager")
    ours = [outputs[key] for key in outputs.files]
    if len(ours) != len(references):
        return f"{len(ours)} outputs, expected {len(references)}"
    for i, (y, e, r) in enumerate(zip(ours, eager, references)):
        right, detail = support.judge(y, e, r)
        if not right:
            return f"WRONG output {i}: {detail}"
    return None


def check_file(options, name, kind, work):
    file = options.folder / f"{name}{kind}"
    cases = sorted(options.folder.glob(f"{name}.dyn.*.npz")) if "dyn" in kind else [options.folder / f"{name}{kind.rsplit('.', 1)[0]}.npz"]
    artifact, inputs, outputs = work / "model.gcx", work / "inputs.npz", work / "outputs.npz"
    flags = input_flags(np.load(cases[0])) if kind.endswith(".pt") else []
    failure = call(options.graphc, options.timeout, file, "-o", artifact, *flags)
    for case in map(np.load, cases):
        np.savez(inputs, **{key: case[key] for key in case.files if key.startswith("in")})
        failure = failure or call(options.graphc, options.timeout, "run", artifact, "--inputs", inputs, "--outputs", outputs, "--threads", options.threads)
        failure = failure or judge_case(case, np.load(outputs))
    return failure or "right"


def check_models(options, chosen):
    path = options.folder / "results.json"
    results = json.loads(path.read_text()) if path.exists() else {}
    not_right = 0
    with tempfile.TemporaryDirectory() as work:
        for name in chosen:
            failures = json.loads((options.folder / f"{name}.json").read_text())
            results[name] = {}
            for kind in KINDS:
                if (options.folder / f"{name}{kind}").exists() and kind not in failures:
                    results[name][kind] = check_file(options, name, kind, pathlib.Path(work))
                    if results[name][kind] != "right":
                        not_right += 1
                        print(f"{name}{kind}: {results[name][kind]}", flush=True)
                elif kind in failures or "build" in failures:
                    results[name][kind] = f"not exported: {failures.get(kind, failures.get('build'))}"
            path.write_text(json.dumps(results, indent=1))
    right = sum(r == "right" for of in results.values() for r in of.values())
    print(f"{right} files right, {not_right} of those checked now not right")
    return 1 if not_right else 0


def table(folder):
    results = json.loads((folder / "results.json").read_text())
    tried = [r for of in results.values() for r in of.values() if not r.startswith("not exported")]
    rows = []
    for name, of in results.items():
        mark = {k: "right" if r == "right" else "–" if r.startswith("not exported") else "**no**" for k, r in of.items()}
        reasons = sorted({r for r in of.values() if r != "right"})
        rows.append(f"| {name} | " + " | ".join(mark.get(k, "–") for k in KINDS) + f" | {'; '.join(reasons)[:200].replace('|', '/')} |")
    print("# The model zoo\n\nGenerated by `tools/zoo/zoo.py table`. Each file that PyTorch can export is compiled and judged against fp64 beside\n"
          f"eager PyTorch; – means PyTorch does not export it. {sum(r == 'right' for r in tried)} of {len(tried)} files are right.\n")
    print("| model | " + " | ".join(KINDS) + " | what is missing |\n|" + "---|" * (len(KINDS) + 2))
    print("\n".join(rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=("list", "export", "check", "table"))
    parser.add_argument("folder", type=pathlib.Path, nargs="?", help="where the files are")
    parser.add_argument("names", nargs="*", help="models; all of them without any")
    parser.add_argument("--graphc", type=pathlib.Path, help="the command-line tool (check)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=600, help="seconds for one step")
    options = parser.parse_intermixed_args()
    if options.command == "list":
        print("\n".join(names()))
        return 0
    if not options.folder:
        parser.error("the folder is missing")
    if options.command == "table":
        return table(options.folder)
    known = names() if options.command == "export" else [p.stem for p in options.folder.glob("*.json") if p.stem != "results"]
    unknown = [n for n in options.names if n not in known]
    if unknown:
        parser.error(f"no such model: {', '.join(unknown)}; zoo.py list names them")
    chosen = options.names or sorted(known)
    if options.command == "export":
        return export_models(options.folder, chosen, options.timeout)
    if not options.graphc:
        parser.error("check needs --graphc PATH")
    return check_models(options, chosen)


if __name__ == "__main__":
    sys.exit(main())
