"""Silero VAD, at 16 and 8 kHz: over a minute of audio with state, each frame's probability against torch.jit's (1e-5), again
after resets, and the example's segments against silero-vad's own.

  silero.py --graphc build/bin/graphc --vad build/bin/vad --deps ~/.cache/graphc/deps --work build/test/models
"""
import pathlib
import sys
import types
import warnings
import wave

import numpy as np
import torch

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


def official_segments(probabilities, rate, total):
    """silero-vad's own rule, in seconds. Its package wants torchaudio for reading files, which is not needed here."""
    for name in ("torchaudio", "torchaudio.functional"):
        sys.modules.setdefault(name, types.ModuleType(name))
    sys.modules["torchaudio"].functional = sys.modules["torchaudio.functional"]
    sys.modules["torchaudio"].list_audio_backends = lambda: ["none"]
    from silero_vad.utils_vad import get_speech_timestamps_from_probs
    found = get_speech_timestamps_from_probs(probabilities, sampling_rate=rate, audio_length_samples=total)
    return [f"speech from {s['start'] / rate:.2f} s to {s['end'] / rate:.2f} s" for s in found]


def compare(ours, expected):
    if len(ours) != len(expected):
        return False, f"{len(ours)} frames, expected {len(expected)}"
    error = np.abs(np.array(ours) - np.array(expected))
    return error.max() <= TOLERANCE, f"{len(ours)} frames, largest difference {error.max():.1e} at frame {error.argmax()}"


def check_rate(check, options, model, rate):
    size, name = (512 if rate == 16000 else 256), f"silero {rate // 1000} kHz"
    gcx, speech, noise = (options.work / f"silero-{rate}{end}" for end in (".gcx", ".wav", "-noise.wav"))
    support.run(RECORDER, speech, rate, 4)
    noise_wav(noise, rate, 10)
    samples = {path: read_wav(path) for path in (speech, noise)}
    expected = {path: reference(model, samples[path], rate) for path in samples}
    assert len(samples[speech]) > 60 * rate, "less than a minute of audio"

    def frames(*paths):
        printed = support.run(options.vad, gcx, *paths, "--frames")
        return compare([float(line) for line in printed.split()], [p for path in paths for p in expected[path]])

    def segments():
        printed = support.run(options.vad, gcx, speech).splitlines()
        return printed[:-1] == official_segments(expected[speech], rate, len(samples[speech])), printed[-1]

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
