"""Runs random programs in this process; random_graphs.py starts it. A task: {"seeds": [1, 2], "skip": [NAME…], "reduce": true}.
A case's name is its seed; its outcome is the first check's that isn't right."""
import json
import pathlib
import random
import sys

import torch

sys.path[:0] = [str(pathlib.Path(__file__).parent.parent / "conformance")]
import checks
import graphs
import reduce


def say(**line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def run_seed(seed, shrink):
    """(outcome, text)"""
    graph = graphs.draw(seed)
    rng = random.Random(seed)
    names = ["plain"] + rng.sample([name for name in checks.CHECKS if name != "plain"], 2)
    for name in names:
        failure = checks.check(graph, random.Random(seed), name)
        if failure and failure[0] == "refused" and name != "plain":
            continue
        if failure and failure[0] != "refused" and shrink:
            graph = reduce.reduce(graph, lambda candidate: checks.fails_alike(candidate, seed, name, failure[0]))
            failure = checks.check(graph, random.Random(seed), name) or failure
        if failure:
            return failure[0], f"check {name}: {failure[1]}\n{graph.text()}" if failure[0] != "refused" else failure[1]
    return "right", ""


def main():
    torch.set_num_threads(1)
    for line in sys.stdin:
        task = json.loads(line)
        for seed in task["seeds"]:
            if str(seed) in task["skip"]:
                continue
            say(begin=str(seed))
            outcome, text = run_seed(seed, task["reduce"])
            say(case=str(seed), outcome=outcome, text=text)
        say(done=task["name"])


if __name__ == "__main__":
    main()
