#!/usr/bin/env bash
# Times signing against Python's MinHash libraries: the same text, in turns, in one run. Builds what it needs in a directory
# of its own, and removes it. Usage: run.sh [ROUNDS]
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
python=${PYTHON:-python3}

if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
  echo "bench-sketch-peers: $python with its module venv is not at hand; nothing was compared" >&2
  exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" -m venv "$work/venv"
if ! "$work/venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"; then
  echo "bench-sketch-peers: the Python libraries cannot be installed; nothing was compared" >&2
  exit 1
fi
(cd "$root" && "${GO:-go}" test -c -o "$work/sketch.test" ./index/sketch)
"$work/venv/bin/python" "$here/peers.py" "$work/sketch.test" "$root/index/sketch" "${1:-10}"
