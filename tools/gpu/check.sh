#!/usr/bin/env bash
# Checks emitted CUDA kernels on a machine with a GPU. Builds nothing: it runs what was carried there.
#
#   ninja -C build gpu-bundles        on the machine that builds: gpu_check and the bundles, in build/gpu/
#   tools/gpu/check.sh [FOLDER]       on the machine with the GPU; FOLDER (default: build/gpu) holds them
#
# Exit status: 0 all kernels equal the expected values, 1 some differ, 4 there is nothing to run on (no driver, no GPU) or
# with (no bundles).
set -uo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
folder="${1:-$root/build/gpu}"

echo "machine: $(uname -srm), $(nproc) CPUs"
if command -v nvidia-smi >/dev/null; then
  nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader || true
else
  echo "nvidia-smi: not found"
fi

if [ ! -x "$folder/gpu_check" ]; then
  echo "check.sh: $folder/gpu_check is missing: build the target gpu-bundles and carry its folder here" >&2
  exit 4
fi
bundles=("$folder"/*.bundle)
if [ ! -e "${bundles[0]}" ]; then
  echo "check.sh: no bundles in $folder: build the target gpu-bundles and carry its folder here" >&2
  exit 4
fi
exec "$folder/gpu_check" "${bundles[@]}"
