#!/usr/bin/env python3
"""Times Silero VAD, one frame of 32 ms at a time with its state, on one thread: graphc, ONNX Runtime and torch.jit in
interleaved rounds.

  testenv/bin/python tools/bench/silero.py --graphc build/bin/graphc --gcx silero_vad.gcx --deps ~/.cache/graphc/deps

Prints per contestant the median over all rounds of the median time of one frame, and the ratio to graphc's. ONNX Runtime runs
the .onnx of the same wheel through bound inputs and outputs (no copies in Python). Inputs are noise, never zeros.
"""
import argparse
import importlib.util
import json
import pathlib
import platform
import statistics
import subprocess
import time
import warnings

import numpy as np
import onnxruntime
import torch

warnings.filterwarnings("ignore")
RATE, FRAME, CONTEXT = 16000, 512, 64


def times_of(call, seconds):
    """Microseconds of each call for so many seconds, after a tenth of them to warm up."""
    end = time.perf_counter() + seconds / 10
    while time.perf_counter() < end:
        call()
    result, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter_ns()
        call()
        result.append((time.perf_counter_ns() - start) / 1000)
    return result


def onnx_runtime(frame):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    path = pathlib.Path(importlib.util.find_spec("silero_vad").origin).parent / "data/silero_vad.onnx"
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    value = onnxruntime.OrtValue.ortvalue_from_numpy
    states = [value(np.zeros((2, 1, 128), np.float32)) for _ in range(2)]
    out = value(np.zeros((1, 1), np.float32))
    samples = value(np.concatenate([np.zeros((1, CONTEXT), np.float32), frame], 1))
    rate = value(np.array(RATE, np.int64))
    bindings = []
    for before, after in (states, reversed(states)):
        binding = session.io_binding()
        for name, array in (("input", samples), ("state", before), ("sr", rate)):
            binding.bind_ortvalue_input(name, array)
        for name, array in (("output", out), ("stateN", after)):
            binding.bind_ortvalue_output(name, array)
        bindings.append(binding)

    def call():
        bindings.reverse()
        session.run_with_iobinding(bindings[0])
    return call


def torch_jit(frame, deps):
    model = torch.jit.load(str(deps / "models/silero_vad.jit")).eval()
    samples = torch.from_numpy(frame)

    def call():
        with torch.inference_mode():
            model(samples, RATE)
    return call


def graphc(options, seconds):
    done = subprocess.run([options.graphc, "bench", options.gcx, "--seconds", str(seconds), "--threads", "1", "--json"],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["times_us"]


def processor():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphc", required=True)
    parser.add_argument("--gcx", required=True, help="silero_vad.jit compiled for x=f32[1,512], sr=16000")
    parser.add_argument("--deps", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0)
    options = parser.parse_args()
    torch.set_num_threads(1)
    frame = (np.random.default_rng(0).standard_normal((1, FRAME)) * 0.1).astype(np.float32)
    peers = {"ONNX Runtime " + onnxruntime.__version__: onnx_runtime(frame),
             "torch.jit " + torch.__version__: torch_jit(frame, options.deps)}
    contestants = {"graphc": lambda: graphc(options, options.seconds)}
    contestants |= {name: (lambda call=call: times_of(call, options.seconds)) for name, call in peers.items()}
    medians = {name: [] for name in contestants}
    for _ in range(options.rounds):
        for name, measure in contestants.items():
            medians[name].append(statistics.median(measure()))
    print(f"{processor()}, one thread, {options.rounds} rounds of {options.seconds} s")
    ours = statistics.median(medians["graphc"])
    for name, values in medians.items():
        middle = statistics.median(values)
        print(f"{name:24} {middle:8.1f} us a frame (rounds {min(values):.1f} to {max(values):.1f}), {middle / ours:.2f} x graphc")


if __name__ == "__main__":
    main()
