"""Random programs through graphc, judged against eager and against graphc itself.

  random_graphs.py --count 300                     seeds from the date, which is printed
  random_graphs.py --seed 1 --count 100000 --jobs 2 --work DIR      a long run; DIR/failures.txt grows as failures are found

Each program has 5 to 40 operators: pointwise and mixed dtypes, reductions, matmul, convolutions and pools of either memory format, views, in-place
writes into views and inputs, sizes 0 and 1. Checked: its results (and what its inputs hold afterwards), and two of: unoptimized, one pass left out, an
intermediate exposed, outputs reversed, dims symbolic, inputs of other strides, channels last, between guard pages, 1 against 2 threads (bitwise).
A failure is shrunk to a few operators and printed as Python. Exit status 1 where anything but right or refused was found, or nothing ran right.
"""
import argparse
import collections
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "conformance")]
from process import run_tasks

CHUNK = 25


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, help="first seed; default: drawn from the clock")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=120, help="most time of one program")
    parser.add_argument("--work", type=pathlib.Path, help="a folder for failures.txt")
    parser.add_argument("--no-reduce", action="store_true")
    return parser.parse_args()


def main():
    options = arguments()
    first = options.seed if options.seed is not None else int(time.time()) // 60
    print(f"seed {first}, {options.count} programs", flush=True)
    counts, reasons = collections.Counter(), collections.Counter()

    def summary():
        return f"{sum(counts.values())} programs: " + ", ".join(f"{n} {outcome}" for outcome, n in counts.most_common())

    def record(case):
        counts[case["outcome"]] += 1
        if sum(counts.values()) % 1000 == 0:
            print(summary(), flush=True)
        if case["outcome"] == "refused":
            reasons[case["text"].splitlines()[-2 if "\n    " in case["text"] else -1].strip()[:120]] += 1
        elif case["outcome"] != "right":
            text = f"== seed {case['case']}: {case['outcome']}\n{case['text']}\n"
            print(text, flush=True)
            if options.work:
                options.work.mkdir(parents=True, exist_ok=True)
                with open(options.work / "failures.txt", "a") as out:
                    out.write(text)

    def task(start):
        return {"name": f"seeds {start}", "seeds": list(range(start, min(start + CHUNK, first + options.count))), "reduce": not options.no_reduce}

    def done(_task, cases, _end, _seconds):
        for case in cases:
            record(case)

    run_tasks(HERE / "worker.py", map(task, range(first, first + options.count, CHUNK)), done, options.jobs, options.seconds)
    for reason, count in reasons.most_common(10):
        print(f"refused {count} times: {reason}")
    print(summary())
    sys.exit(0 if counts["right"] and set(counts) <= {"right", "refused"} else 1)


if __name__ == "__main__":
    main()
