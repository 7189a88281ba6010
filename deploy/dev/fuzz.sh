#!/usr/bin/env bash
# Runs each fuzz target of the module for FUZZTIME (10s), one after the other; stops at the first that finds something.
set -euo pipefail

found=$(grep -rEo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | sort) || {
  echo "no fuzz targets"
  exit 0
}
while IFS=: read -r file function; do
  target=${function#func }
  echo "$(dirname "$file") $target"
  "${GO:-go}" test -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-10s}" "$(dirname "$file")"
done <<<"$found"
