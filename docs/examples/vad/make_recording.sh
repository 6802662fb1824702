#!/usr/bin/env bash
# Makes a WAV with speech and silence for the example: 4 s of silence, a sentence, 2 s of silence, a sentence, 3 s of silence;
# 16 bit, one channel, the same bytes every time. Needs espeak-ng and sox.
#
#   make_recording.sh OUT.wav [RATE [TIMES]]      RATE: 16000 (default) or 8000; TIMES: how often to repeat all of it
set -euo pipefail
out="$1"
rate="${2:-16000}"
times="${3:-1}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

say() { # NAME SPEED TEXT LEAD TRAIL: speech between LEAD and TRAIL seconds of silence
  espeak-ng -s "$2" -w "$work/raw.wav" "$3"
  sox -R "$work/raw.wav" -r "$rate" -c 1 -b 16 -e signed-integer "$work/$1.wav" norm -3 pad "$4" "$5"
}

say first 140 "The quick brown fox jumps over the lazy dog, and nobody minds at all." 4 2
say second 150 "Speech is detected frame by frame, thirty two milliseconds at a time." 0 3
sox -R "$work/first.wav" "$work/second.wav" "$out" repeat "$((times - 1))"
