"""What the model tests share: their command line, running the tools, and DESIGN section 7's judgement.

  check = Check(options); check.that("silero 16 kHz", condition, "detail"); check.finish()
"""
import argparse
import pathlib
import subprocess
import sys

import numpy as np

FLOOR = {"float64": 1e-14, "float32": 1e-6, "float16": 5e-4, "bfloat16": 4e-3}


def options(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--graphc", type=pathlib.Path, required=True, help="the command line tool")
    parser.add_argument("--vad", type=pathlib.Path, help="docs/examples/vad, built")
    parser.add_argument("--deps", type=pathlib.Path, required=True, help="GRAPHC_DEPS")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="a folder for files, made if need be")
    parsed = parser.parse_args()
    parsed.work.mkdir(parents=True, exist_ok=True)
    return parsed


def run(*command):
    """stdout of a command that must succeed; its stderr is shown where it doesn't."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\nexit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def measures(y, reference):
    """rms(y-r)/rms(r) and max |y-r|/(|r|+rms(r)), infinite where NaN or infinity stand in other places."""
    y, r = np.asarray(y, np.float64), np.asarray(reference, np.float64)
    if y.shape != r.shape or not np.array_equal(np.isnan(y), np.isnan(r)):
        return float("inf"), float("inf")
    infinite = np.isinf(r)
    if not np.array_equal(y[infinite], r[infinite]) or np.isinf(y[~infinite]).any():
        return float("inf"), float("inf")
    keep = np.isfinite(r)
    if not keep.any():
        return 0.0, 0.0
    error, r = np.abs(y[keep] - r[keep]), r[keep]
    rms = np.sqrt(np.mean(r * r))
    scale = np.abs(r) + rms
    largest = np.max(np.where(error == 0, 0, error / np.where(scale == 0, 1e-300, scale)))
    return float(np.sqrt(np.mean(error * error)) / max(rms, 1e-300)), float(largest)


def judge(y, eager, reference, dtype="float32"):
    """(right, text): graphc's y and eager PyTorch's result, both against the fp64 reference."""
    ours, theirs = measures(y, reference), measures(eager, reference)
    right = ours[0] <= 2 * theirs[0] + FLOOR[dtype] and ours[1] <= 5 * theirs[1] + 10 * FLOOR[dtype]
    return right, f"{ours[0]:.1e} {ours[1]:.1e} (eager {theirs[0]:.1e} {theirs[1]:.1e})"


class Check:
    """Counts what holds, prints a line for each, exits 1 at the end if anything didn't."""

    def __init__(self):
        self.passed = self.failed = 0

    def that(self, name, holds, detail=""):
        self.passed += bool(holds)
        self.failed += not holds
        print(f"{'ok    ' if holds else 'FAILED'} {name} {detail}", flush=True)

    def attempt(self, name, action):
        """action() returns (holds, detail); an exception is a failure with its text."""
        try:
            self.that(name, *action())
        except Exception as error:
            self.that(name, False, f"{type(error).__name__}: {error}")

    def finish(self):
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(1 if self.failed or not self.passed else 0)
