#!/usr/bin/env bash
# Writes what the tests of each package take: seconds, seconds of processor with all processes that they waited for, and
# the package's directory. Usage: make test ARGS="-exec $PWD/deploy/dev/timed.sh"; the lines are in .cache/tests/times.
times=$(cd "$(dirname "$0")/../.." && pwd)/.cache/tests/times
TIMEFORMAT="%R %U %S ${PWD#"${times%/.cache/tests/times}"/}"
exec 3>&2
{ time "$@" 2>&3; } 2>>"$times"
