#!/usr/bin/env bash
# Reports known vulnerabilities in what unecho calls. Usage: vulncheck.sh GOVULNCHECK PACKAGES...
# If the vulnerability database cannot be reached, nothing is known, neither good nor bad. At a desk the script says so
# and succeeds. In CI (CI=true) it fails, unless VULNCHECK=optional says that this place has no way to the database.
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
      if [[ ${CI:-} == true && ${VULNCHECK:-} != optional ]]; then
        echo "govulncheck: in CI that is a failure: let this machine reach vuln.go.dev, point GOVULNDB at a copy, or set VULNCHECK=optional"
        exit 1
      fi
      exit 0
    fi
    echo "$output"
    ;;
  *) echo "$output" ;;
esac
exit "$status"
