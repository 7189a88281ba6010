#!/usr/bin/env bash
# Runs go test by gotestsum, and lists what did not run. Usage: gotest.sh NAME "PACKAGES" FLAGS...
# The events of all tests are left in .cache/tests/NAME.json: `gotestsum tool slowest --jsonfile` reads them.
# With TEST_RETRIES=N at most N tests that fail are run once more, and listed; none where a test raced or did not end.
set -uo pipefail

name=$1 packages=$2
shift 2
top=$(cd "$(dirname "$0")/../.." && pwd)
events=$top/.cache/tests
mkdir -p "$events"
again=()
if ((${TEST_RETRIES:-0} > 0)); then
  again=(--rerun-fails=1 "--rerun-fails-max-failures=$TEST_RETRIES" --rerun-fails-run-root-test --rerun-fails-abort-on-data-race
    "--rerun-fails-report=$events/$name.again")
fi
rm -f "$events/$name".*
"$GOTESTSUM" --format pkgname --format-hide-empty-pkg --format-icons text --hide-summary skipped --jsonfile "$events/$name.json" \
  "${again[@]}" --packages "$packages" -- "$@" &
tests=$!
trap 'kill -INT "$tests"' TERM HUP # gotestsum hands only that on
wait "$tests"
status=$?
if ((status > 128)); then # the wait was ended, and not the tests
  wait "$tests"
  status=$?
fi
if [[ -s $events/$name.again ]]; then
  printf '\nrun again; what passed then is UNSTABLE, find out why:\n%s\n' "$(cat "$events/$name.again")"
fi
"$top/.cache/bin/skips" "$events/$name.json" || exit 1
exit "$status"
