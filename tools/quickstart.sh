#!/usr/bin/env bash
# From a clean clone to speech segments: installs what is needed, builds graphc (release, into build/), compiles the Silero voice
# activity model and runs docs/examples/vad on a recording made here.
#
#   tools/quickstart.sh          leaves build/bin/graphc, build/quickstart/{silero_vad.gcx,speech.wav}
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
deps="${GRAPHC_DEPS:-$HOME/.cache/graphc/deps}"
work=build/quickstart

tools/setup.sh
cmake --preset release
cmake --build build --parallel "$(nproc)" --target graphc vad
mkdir -p "$work"
docs/examples/vad/make_recording.sh "$work/speech.wav"
build/bin/graphc "$deps/models/silero_vad.jit" --input 'x=f32[1,512]' --bind sr=16000 -o "$work/silero_vad.gcx"
build/bin/vad "$work/silero_vad.gcx" "$work/speech.wav"
