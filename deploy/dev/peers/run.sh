#!/usr/bin/env bash
# Times unecho against Python's MinHash libraries, in turns, in one run: signing (sign), or judging whole corpora
# (stream), of which one is generated, with so many documents; a peer that takes more than so many seconds of processor
# time for one ends there. It builds what it needs in a directory of its own, and removes that: for stream that is some
# 3 GB, as text-dedup and datatrove have virtual environments of their own. Without one of these two it goes on.
# Usage: run.sh sign [ROUNDS] | stream [ROUNDS [DOCUMENTS [SECONDS]]]
set -euo pipefail

what=${1:-sign}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
python=${PYTHON:-python3}
go=${GO:-go}

if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
  echo "peers: $python with its module venv is not at hand; nothing was compared" >&2
  exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" -m venv "$work/venv"
if ! "$work/venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"; then
  echo "peers: the Python libraries cannot be installed; nothing was compared" >&2
  exit 1
fi

# own installs a program with what it needs, apart from the others.
own() {
  "$python" -m venv "$work/$1"
  if ! "$work/$1/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/$1.txt"; then
    echo "peers: $1 cannot be installed, and is not measured" >&2
    rm -rf "${work:?}/$1"
  fi
}

cd "$root"
case $what in
sign)
  "$go" test -c -o "$work/sketch.test" ./index/sketch
  "$work/venv/bin/python" "$here/peers.py" "$work/sketch.test" "$root/index/sketch" "${2:-10}"
  ;;
stream)
  CGO_ENABLED=0 "$go" build -o "$work/" ./cmd/unecho
  "$go" run ./deploy/dev/bench/corpora -into "$work/corpora" -documents "${3:-20000}"
  own text-dedup
  own datatrove
  "$work/venv/bin/python" "$here/stream.py" "$work/unecho" "$work/corpora" "$work" "${2:-3}" "${4:-600}"
  ;;
*)
  echo "usage: run.sh sign [ROUNDS] | stream [ROUNDS [DOCUMENTS [SECONDS]]]" >&2
  exit 2
  ;;
esac
