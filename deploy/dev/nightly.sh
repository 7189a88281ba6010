#!/usr/bin/env bash
# Runs these words of make one after the other, and says at the end what ran, how long, and what it counted. Usage:
#   nightly.sh STEP...
# What passed is not run again: when it was stopped, or a step failed, it goes on with what is left. A change to the
# files begins anew. The logs are in .cache/nightly.
set -uo pipefail
cd "$(dirname "$0")/../.."

version=$( (git rev-parse HEAD && git diff HEAD && git ls-files --others --exclude-standard) | sha256sum | cut -c1-12)
logs=.cache/nightly/$version
mkdir -p "$logs"
failed=0
for step in "$@"; do
  [[ -e $logs/$step.passed ]] && continue
  echo "nightly: make $step"
  began=$SECONDS
  if make --no-print-directory "$step" >"$logs/$step.log" 2>&1; then
    echo $((SECONDS - began)) >"$logs/$step.passed"
  else
    failed=1
    tail -n 60 "$logs/$step.log"
  fi
done

printf '\n%-16s %8s  %s\n' step seconds 'what it says'
for step in "$@"; do
  if [[ -e $logs/$step.passed ]]; then
    printf '%-16s %8s  %s\n' "$step" "$(cat "$logs/$step.passed")" "$(grep -h '^DONE ' "$logs/$step.log" | tail -n 1)"
  else
    printf '%-16s %8s  FAILED: see %s\n' "$step" - "$logs/$step.log"
  fi
done
exit "$failed"
