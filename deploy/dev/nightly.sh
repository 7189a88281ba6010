#!/usr/bin/env bash
# Runs these words of make one after the other, and says at the end what ran, how long, and what it counted. Usage:
#   nightly.sh STEP...
# What passed is not run again: when it was stopped, or a step failed, it goes on with what is left. A change to any file,
# or to what narrows a run, begins anew. As in CI a skipped test is a failure. The logs are in .cache/nightly.
set -uo pipefail
cd "$(dirname "$0")/../.."
export CI=true TEST_RETRIES=0

version() {
  { git rev-parse HEAD && git diff HEAD && git ls-files --others --exclude-standard -z | xargs -0r sha256sum -- &&
    echo "${MAKEFLAGS:-} ${PKG:-} ${ARGS:-} ${SKIP:-}"; } | sha256sum | cut -c1-12
}

git rev-parse HEAD >/dev/null || exit 1 # without it nobody knows what was tested
began_at=$(version)
logs=.cache/nightly/$began_at
mkdir -p "$logs"
exec 9>.cache/nightly/lock
flock -n 9 || { echo "nightly: another one runs here" >&2; exit 1; }
failed=0
for step in "$@"; do
  [[ -e $logs/$step.passed ]] && continue
  echo "nightly: make $step"
  began=$SECONDS
  if ! make --no-print-directory "$step" >"$logs/$step.log" 2>&1 9>&-; then
    failed=1
    tail -n 60 "$logs/$step.log"
  elif [[ $(version) != "$began_at" ]]; then
    failed=1
    echo "nightly: files changed while $step ran: it proves nothing of either state"
  else
    echo $((SECONDS - began)) >"$logs/$step.passed"
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
