#!/usr/bin/env bash
# Builds graphc and runs every test; the last lines are ctest's summary. Continuous integration runs this file.
#
#   tools/test.sh [PRESET] [-- CTEST ARGUMENTS…]      PRESET: release (default), dev, asan, no-torch
#   tools/test.sh dev -- -R lit-passes
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=release
if [ $# -gt 0 ] && [ "$1" != -- ]; then
  preset="$1"
  shift
fi
[ "${1:-}" = -- ] && shift
case "$preset" in
  release) folder=build ;;
  dev | asan | no-torch) folder="build-$preset" ;;
  *) echo "test.sh: '$preset' is no preset: release, dev, asan or no-torch" >&2; exit 2 ;;
esac

if [ "$preset" = asan ]; then # LLVM's allocators, inlined into our code, poison what those in Debian's libraries, not sanitized, hand out
  export ASAN_OPTIONS="allow_user_poisoning=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
fi
tools/setup.sh --tests
cmake --preset "$preset"
cmake --build "$folder" --parallel 2
ctest --test-dir "$folder" --parallel 2 --output-on-failure --no-tests=error "$@"
