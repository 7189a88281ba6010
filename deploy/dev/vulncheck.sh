#!/usr/bin/env bash
# Reports known vulnerabilities in what unecho calls. Usage: vulncheck.sh GOVULNCHECK PACKAGES...
# Where the vulnerability database cannot be reached it says so and does not fail: nothing is known then, for better or worse.
set -uo pipefail

govulncheck=$1
shift
output=$("$govulncheck" "$@" 2>&1)
status=$?
case $status in
  0) echo "govulncheck: no known vulnerabilities" ;;
  1)
    if grep -q 'fetching vulnerabilities:' <<<"$output"; then
      echo "govulncheck: NOT CHECKED, the vulnerability database cannot be reached: $(tail -n 1 <<<"$output")"
      exit 0
    fi
    echo "$output"
    ;;
  *) echo "$output" ;;
esac
exit "$status"
