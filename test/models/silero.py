"""Silero VAD, at 16 and 8 kHz: over a minute of audio with state, each frame's probability against torch.jit's, again after
resets, and the example's segments against silero-vad's own.

A frame is right where it is within 1e-5 of torch.jit's. The network amplifies rounding where speech starts and ends: there
torch.jit itself is up to 6e-5 away from fp64 at 16 kHz, so a frame is also right where it is as near to fp64 as torch.jit's worst
frame of the recording. The fp64 reference is the same network written out below; in fp32 it gives torch.jit's bits (checked).

  silero.py --graphc build/bin/graphc --vad build/bin/vad --deps ~/.cache/graphc/deps --work build/test/models
"""
import pathlib
import sys
import types
import warnings
import wave

import numpy as np
import torch
import torch.nn.functional as F

import support

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
RECORDER = pathlib.Path(__file__).resolve().parents[2] / "docs/examples/vad/make_recording.sh"
TOLERANCE = 1e-5


def read_wav(path):
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), np.int16).astype(np.float32) / 32768


def noise_wav(path, rate, seconds):
    """Loud noise and a tone, which move the state to other places than speech does."""
    rng = np.random.default_rng(rate)
    t = np.arange(rate * seconds) / rate
    samples = 0.3 * rng.standard_normal(t.size) * (np.sin(t) > 0) + 0.5 * np.sin(2 * np.pi * 300 * t)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((np.clip(samples, -1, 1) * 32767).astype(np.int16).tobytes())


def reference(model, samples, rate):
    """Frame by frame from a fresh state; the last frame is filled up with zeros."""
    size = 512 if rate == 16000 else 256
    samples = np.pad(samples, (0, -len(samples) % size))
    model.reset_states()
    with torch.no_grad():
        return [model(torch.from_numpy(samples[i:i + size])[None], rate).item() for i in range(0, len(samples), size)]


def written_out(model, samples, rate, dtype):
    """The network by itself, frame by frame, in this dtype: STFT by convolution, four convolutions, an LSTM cell, a sigmoid."""
    inner = model._model if rate == 16000 else model._model_8k
    weight = {name: tensor.to(dtype) for name, tensor in inner.state_dict().items()}
    basis = weight["stft.forward_basis_buffer"]
    size, context, half, window = (512, 64, 129, 256) if rate == 16000 else (256, 32, 65, 128)
    h = c = torch.zeros(1, 128, dtype=dtype)
    samples = np.pad(samples, (context, -len(samples) % size))
    result = []
    for start in range(0, len(samples) - context, size):
        x = torch.from_numpy(samples[start:start + context + size]).to(dtype)[None, None]
        x = F.conv1d(F.pad(x, (0, window // 4), mode="reflect"), basis, stride=window // 2)
        x = torch.sqrt(x[:, :half] ** 2 + x[:, half:] ** 2)
        for layer, stride in enumerate((1, 2, 2, 1)):
            name = f"encoder.{layer}.reparam_conv."
            x = F.relu(F.conv1d(x, weight[name + "weight"], weight[name + "bias"], stride=stride, padding=1))
        gates = F.linear(x.squeeze(-1), weight["decoder.rnn.weight_ih"], weight["decoder.rnn.bias_ih"]) + \
            F.linear(h, weight["decoder.rnn.weight_hh"], weight["decoder.rnn.bias_hh"])
        i, f, g, o = gates.chunk(4, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        y = F.conv1d(F.relu(h)[:, :, None], weight["decoder.decoder.2.weight"], weight["decoder.decoder.2.bias"])
        result.append(torch.sigmoid(y).mean().item())
    return np.array(result)


def official_segments(probabilities, rate, total):
    """silero-vad's own rule, in seconds. Its package wants torchaudio for reading files, which is not needed here."""
    for name in ("torchaudio", "torchaudio.functional"):
        sys.modules.setdefault(name, types.ModuleType(name))
    sys.modules["torchaudio"].functional = sys.modules["torchaudio.functional"]
    sys.modules["torchaudio"].list_audio_backends = lambda: ["none"]
    from silero_vad.utils_vad import get_speech_timestamps_from_probs
    found = get_speech_timestamps_from_probs(probabilities, sampling_rate=rate, audio_length_samples=total)
    return [f"speech from {s['start'] / rate:.2f} s to {s['end'] / rate:.2f} s" for s in found]


class Expected:
    """What one recording should give."""

    def __init__(self, model, path, rate):
        self.samples = read_wav(path)
        self.jit = np.array(reference(model, self.samples, rate))
        with torch.no_grad():
            self.exact = written_out(model, self.samples, rate, torch.float64)
            assert np.abs(written_out(model, self.samples, rate, torch.float32) - self.jit).max() < 1e-7
        self.jit_error = np.abs(self.jit - self.exact).max()

    def compare(self, ours):
        """(right, frames beyond 1e-5 of torch.jit, largest difference to it, largest error against fp64)"""
        beyond = np.abs(ours - self.jit) > TOLERANCE
        error = np.abs(ours - self.exact)
        right = not beyond.any() or error[beyond].max() <= max(TOLERANCE, self.jit_error)
        return right, int(beyond.sum()), np.abs(ours - self.jit).max(), error.max()


def compare(ours, recordings):
    count = sum(len(r.jit) for r in recordings)
    if len(ours) != count:
        return False, f"{len(ours)} frames, expected {count}"
    parts = np.split(np.array(ours), np.cumsum([len(r.jit) for r in recordings])[:-1])
    results = [recording.compare(part) for recording, part in zip(recordings, parts)]
    return all(r[0] for r in results), (
        f"{count} frames, {sum(r[1] for r in results)} of them more than {TOLERANCE:g} from torch.jit, largest difference "
        f"{max(r[2] for r in results):.1e}; against fp64 {max(r[3] for r in results):.1e}, torch.jit "
        f"{max(r.jit_error for r in recordings):.1e}")


def check_rate(check, options, model, rate):
    size, name = (512 if rate == 16000 else 256), f"silero {rate // 1000} kHz"
    gcx, speech, noise = (options.work / f"silero-{rate}{end}" for end in (".gcx", ".wav", "-noise.wav"))
    support.run(RECORDER, speech, rate, 4)
    noise_wav(noise, rate, 10)
    expected = {path: Expected(model, path, rate) for path in (speech, noise)}
    assert len(expected[speech].samples) > 60 * rate, "less than a minute of audio"

    def frames(*paths):
        printed = support.run(options.vad, gcx, *paths, "--frames")
        return compare([float(line) for line in printed.split()], [expected[path] for path in paths])

    def segments():
        printed = support.run(options.vad, gcx, speech).splitlines()
        wanted = official_segments(list(expected[speech].jit), rate, len(expected[speech].samples))
        return printed[:-1] == wanted, printed[-1]

    def compiles():
        support.run(options.graphc, options.deps / "models/silero_vad.jit", "--input", f"x=f32[1,{size}]", "--bind",
                    f"sr={rate}", "-o", gcx)
        return True, f"{gcx.stat().st_size} bytes"

    check.attempt(f"{name} compiles", compiles)
    check.attempt(f"{name} speech", lambda: frames(speech))
    check.attempt(f"{name} noise", lambda: frames(noise))
    check.attempt(f"{name} after resets", lambda: frames(noise, speech, noise, noise))
    check.attempt(f"{name} segments", segments)


def main():
    options = support.options(__doc__)
    model = torch.jit.load(str(options.deps / "models/silero_vad.jit")).eval()
    check = support.Check()
    for rate in (16000, 8000):
        check_rate(check, options, model, rate)
    check.finish()


if __name__ == "__main__":
    main()
