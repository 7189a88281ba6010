#!/usr/bin/env bash
# Installs what the browser's tests need where it is missing (Chromium, axe-core), and runs them, or takes the pictures of the
# documents. Usage: run.sh test GOTEST [ARGS], run.sh shots [ARGS]
set -euo pipefail

what=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
cache=$(cd "$here/../../.." && pwd)/.cache
axe_version=4.14.1

# install PROGRAM-OR-FONT PACKAGES...
install() {
  echo "page: $1 is missing: installing ${*:2}" >&2
  if ! command -v apt-get >/dev/null || [[ $(id -u) != 0 ]]; then
    echo "page: $1 is missing: sudo apt-get install ${*:2}" >&2
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq >/dev/null
  apt-get install -y -qq --no-install-recommends "${@:2}" >/dev/null
}

command -v chromium >/dev/null || install chromium chromium fonts-inter
cd "$here"
case $what in
test)
  gotest=$1
  shift
  axe=$cache/axe-core-$axe_version
  if [[ ! -s $axe/package/axe.min.js ]]; then
    command -v npm >/dev/null || install npm npm
    mkdir -p "$axe"
    (cd "$axe" && npm pack --silent "axe-core@$axe_version" >/dev/null && tar -xzf "axe-core-$axe_version.tgz" package/axe.min.js)
  fi
  UNECHO_TEST_AXE=$axe/package/axe.min.js "$gotest" test-page ./... -vet=off -timeout 15m -count=1 "$@"
  ;;
shots)
  [[ -n $(fc-list Inter 2>/dev/null) ]] || install "the font Inter" fontconfig fonts-inter
  go run ./shots "$@"
  ;;
*)
  echo "usage: run.sh test GOTEST [ARGS] | run.sh shots [ARGS]" >&2
  exit 2
  ;;
esac
