"""PyTorch's own samples (OpInfo) through graphc, judged against eager.

  conformance.py --work DIR                                    everything in scope, all forms, backends and dims; resumes
  conformance.py --work DIR --dtypes f32 --forms pt --limit 8  a part
  conformance.py --work DIR --seed 3 --units 40 --limit 4      a seeded slice, as CI runs it
  conformance.py --work DIR --opinfo add --opinfo sum          some OpInfos

Writes DIR/results.jsonl (a line a case), DIR/summary.json and DIR/index.html. refused.tsv beside this file says which cases graphc
refuses, and why; the exit status is 1 where a case is wrong, crashes, fails at run time, is refused otherwise than the table says
or passes though the table says it is refused. --update rewrites the table's rows of the cases that were run; wrong values,
crashes and internal errors are never entered.
"""
import argparse
import json
import pathlib
import random
import sys

import page
import table
from process import run_tasks

HERE = pathlib.Path(__file__).parent
BAD = ("wrong", "failed", "internal", "crash", "timeout")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, required=True, help="results go here; a second call resumes")
    parser.add_argument("--opinfo", action="append", help="only these (repeatable)")
    parser.add_argument("--dtypes", default="f32,f64,f16,bf16,i64,i32,u8,bool")
    parser.add_argument("--forms", default="pt,pt2,error", help="traced, exported, and scripted calls that eager refuses")
    parser.add_argument("--dims", default="static,symbolic")
    parser.add_argument("--backends", default="cpu,interpreter")
    parser.add_argument("--limit", type=int, help="samples per OpInfo and dtype, spread evenly")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--units", type=int, help="only so many (OpInfo, dtype) pairs, drawn by the seed")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60, help="most time of one case")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    parser.add_argument("--update", action="store_true", help="write what is refused into refused.tsv")
    return parser.parse_args()


def make_tasks(options):
    import samples
    wanted = samples.in_scope(HERE / "scope.tsv") if not options.opinfo else options.opinfo
    known = samples.opinfos()
    tasks = []
    for name in wanted:
        if name not in known:
            sys.exit(f"conformance.py: PyTorch has no OpInfo '{name}'")
        for dtype in options.dtypes.split(","):
            if samples.DTYPES[dtype] in known[name].supported_dtypes("cpu"):
                tasks.append({"name": f"{name}/{dtype}", "opinfo": name, "dtype": dtype, "forms": options.forms.split(","), "dims": options.dims.split(","),
                              "backends": options.backends.split(","), "limit": options.limit})
    if options.units and options.units < len(tasks):
        tasks = random.Random(options.seed).sample(tasks, options.units)
    return tasks


class Results:
    """results.jsonl: one line a unit, so that a killed run loses at most the units under way."""

    def __init__(self, path, fresh):
        self.path = path
        if fresh:
            path.unlink(missing_ok=True)
        self.units = [json.loads(line) for line in open(path)] if path.exists() else []
        self.done = {json.dumps(unit["task"], sort_keys=True) for unit in self.units}

    def has(self, task):
        return json.dumps(task, sort_keys=True) in self.done

    def add(self, task, cases, end, seconds):
        unit = {"task": task, "cases": cases, "left_out": end["left_out"], "samples": end["samples"], "seconds": round(seconds, 1)}
        self.units.append(unit)
        with open(self.path, "a") as out:
            out.write(json.dumps(unit) + "\n")


def run_all(options, tasks, results):
    def done(task, cases, end, seconds):
        results.add(task, cases, end, seconds)
        bad = sum(case["outcome"] in BAD for case in cases)
        print(f"{len(results.units)}/{len(tasks)} {task['opinfo']} {task['dtype']}: {len(cases)} cases" + (f", {bad} BAD" if bad else ""), file=sys.stderr, flush=True)

    run_tasks(HERE / "worker.py", [task for task in tasks if not results.has(task)], done, options.jobs, options.seconds, fresh_after=25)  # what leaks, leaks no further


def main():
    options = arguments()
    options.work.mkdir(parents=True, exist_ok=True)
    tasks = make_tasks(options)
    results = Results(options.work / "results.jsonl", options.fresh)
    run_all(options, tasks, results)
    wanted = {json.dumps(task, sort_keys=True) for task in tasks}
    units = [unit for unit in results.units if json.dumps(unit["task"], sort_keys=True) in wanted]
    if options.update:
        table.update(HERE / "refused.tsv", units)
    problems = table.compare(table.read(HERE / "refused.tsv"), units)
    summary = page.summarize(units, problems)
    (options.work / "summary.json").write_text(json.dumps(summary, indent=1))
    (options.work / "index.html").write_text(page.html(summary, units))
    for problem in problems[:100]:
        print(problem)
    print(page.line(summary) + (f"; seed {options.seed}" if options.units else ""))
    sys.exit(1 if problems or not summary["cases"] else 0)


if __name__ == "__main__":
    main()
