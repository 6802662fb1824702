"""Indices out of range never touch memory: each operator that indexes by data, with indices beyond both ends and at the limits of their type, run
between guard pages, must end in an error that names the operator and its line, and be right again in the next run.

  bounds.py [--only TEXT] [--verbose]        with the package graphc on PYTHONPATH; exit status 1 where a run faults, passes or says something else
"""
import argparse
import json
import pathlib
import sys

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "conformance")]
import graphc
import judge
import models
from files import traced
from operators import CASES
from process import Worker

LEVELS = ("x86-64-v3", "x86-64-v4")


def bad_indices(case):
    """Beyond the ends, far beyond, where 32 bits would wrap to something right, and the limits of the type."""
    limits = torch.iinfo(case.tensors[case.index].dtype)
    below = -case.size - 1 if case.wraps else -1
    values = [case.size, case.size + 1, case.size + 1000, below, below - 1, below - 1000, limits.max, limits.max - 1, limits.min, limits.min + 1]
    if limits.bits == 64:
        values += [2**31, 2**32 + 1, -2**31 - 1, -2**32 + 1, 2**62, 2**63 - case.size]
    return values


def check_error(case, context, bad, at):
    tensors = list(case.tensors)
    tensors[case.index] = tensors[case.index].clone()
    tensors[case.index].view(-1)[at] = bad
    try:
        context(*tensors)
    except graphc.RunError as error:
        if error.status != "GRAPHC_ERROR_RUN" or error.code != 1 or not error.op or not error.file.endswith("operators.py") or not error.line:
            return f"{bad} gives status {error.status} code {error.code} op '{error.op}' at {error.file}:{error.line}: {error}"
        named = bad + case.size if case.shifted and bad < 0 else bad
        return "" if f"index {named} " in str(error) else f"{bad} gives: {error}"
    return f"{bad} is accepted"


def check_right(case, context):
    found, eager = context(*case.tensors), case.function(*case.tensors)
    return judge.judge(found, eager, eager.double() if eager.is_floating_point() else eager, judge.FLOOR.get(eager.dtype, 0.0) * 10) or ""


def compiled(case):
    """Each way to run it: a text and a context."""
    data = traced(case.function, case.tensors)
    for symbolic in (False, True) if case.symbolic else (False,):
        for opt in ("default", "none") if not symbolic else ("default",):
            model = graphc.compile(data, inputs=[models.spec(t, symbolic) for t in case.tensors], opt=opt)
            model.save(path := pathlib.Path(f"bounds-{opt}-{symbolic}.gcx"))
            for level in LEVELS:
                try:
                    one = graphc.load(path, level=level)
                except graphc.Error as error:
                    if "UNSUPPORTED" in getattr(error, "status", ""):
                        continue  # this machine hasn't it
                    raise
                yield f"{'symbolic' if symbolic else 'static'} -O {opt} {level}", one.context(arena=False, threads=1)


def run_case(case):
    """(number of runs, what is wrong)"""
    runs, problems = 0, []
    count = case.tensors[case.index].numel()
    for how, context in compiled(case):
        for i, bad in enumerate(bad_indices(case)):
            runs += 1
            if why := check_error(case, context, bad, (0, count - 1, count // 2)[i % 3]):
                problems.append(f"{how}: {why}")
        if why := check_right(case, context):
            problems.append(f"{how}: afterwards: {why}")
    return runs, problems


def work():
    for line in sys.stdin:
        task = json.loads(line)
        for case in CASES:
            if case.name not in task["names"] or case.name in task["skip"]:
                continue
            print(json.dumps({"begin": case.name}), flush=True)
            try:
                runs, problems = run_case(case)
            except graphc.CompileError as error:
                runs, problems = 0, [f"does not compile: {error}"]
            print(json.dumps({"case": case.name, "outcome": "wrong" if problems else "right", "runs": runs, "text": "\n".join(problems)}), flush=True)
        print(json.dumps({"done": task["name"]}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cases whose names have this text")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    names = [case.name for case in CASES if options.only in case.name]
    worker = Worker(HERE / "worker.py", seconds=120)
    results, _ = worker.run({"name": "bounds", "names": names})
    worker.stop()
    failed = [r for r in results if r["outcome"] != "right"]
    for result in failed:
        print(f"{result['case']}: {result['outcome']}\n    " + result["text"].replace("\n", "\n    "))
    runs = sum(r.get("runs", 0) for r in results)
    print(f"{len(results)} operators, {runs} runs with an index out of range, {len(failed)} operators wrong")
    sys.exit(1 if failed or len(results) != len(names) or not runs else 0)


if __name__ == "__main__":
    main()
