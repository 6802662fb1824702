#!/usr/bin/env bash
# `pip install .` from a clean clone into a fresh virtual environment, and what a user does first there. Needs what tools/setup.sh
# installs and the network (pip fetches the build's Python packages and NumPy); builds the compiler once more.
#
#   test/python/pip-install.sh [FOLDER]        FOLDER: where the clone and the environment go; default: a temporary one, removed
set -euo pipefail
source="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
deps="${GRAPHC_DEPS:-$HOME/.cache/graphc/deps}"

if [ $# -gt 0 ]; then
  work="$1"
  mkdir -p "$work"
else
  work="$(mktemp -d)"
  trap 'rm -rf "$work"' EXIT
fi

[ -d "$work/clone" ] || git clone -q "$source" "$work/clone"
[ -x "$work/venv/bin/python" ] || /usr/bin/python3 -m venv "$work/venv"
"$work/venv/bin/pip" --disable-pip-version-check install -q "$work/clone" numpy

"$deps/testenv/bin/python" -W ignore "$source/test/python/installed_models.py" "$work"
cd "$work" # not the source tree: what is tested is what was installed
env -u PYTHONPATH "$work/venv/bin/python" "$source/test/python/installed_test.py" "$work"
