#!/usr/bin/env bash
# Runs go test by gotestsum, and lists what did not run. Usage: gotest.sh NAME "PACKAGES" FLAGS...
# With CI=true it fails if there is any, but for tests that were skipped for a reason that begins with "shared data absent:".
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
# In an event (go doc test2json) quotes within a text stand behind a backslash. gotestsum repeats a package that failed
# outside of its tests without a test, and then it passes; so what failed before is kept.
awk -v ci="${CI:-}" '
  function field(name) {
    return match($0, "\"" name "\":\"([^\"\\\\]|\\\\.)*\"") ? substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 5) : ""
  }
  !/^\{".*\}$/ || (action = field("Action")) == "" { print "gotest: this is no event: " $0; broken = 1; exit 1 }
  { package = field("Package"); test = field("Test"); name = package (test == "" ? "" : "." test) }
  action == "output" {
    text = field("Output")
    if (text ~ /\[no tests to run\]/) none[name] = 1
    gsub(/\\[nt]/, " ", text); gsub(/\\"/, "\"", text)
    if (text ~ /^ *(=== |--- SKIP)/) next
    if (sub(/^ +[^ :]+\.go:[0-9]+: /, "", text)) said[name] = text # what t.Skip logs comes last
    else said[name] = said[name] text
  }
  test != "" { ran[package] = 1 }
  test != "" && action == "run" { open[package]++; said[name] = "" }
  test != "" && action ~ /^(pass|fail|skip)$/ { open[package]--; if (action == "fail") fell[package] = 1 }
  test != "" && action == "skip" {
    gsub(/  +/, " ", said[name]); gsub(/^ | $/, "", said[name])
    why[name] = said[name] == "" ? "no reason given" : said[name]
  }
  test == "" && action == "start" { open[package] = fell[package] = 0 }
  test == "" && action == "fail" && (open[package] > 0 || !fell[package]) {
    why[name] = "it ended outside of a test, or before its tests had ended: what did not run is not known"
  }
  test == "" && action == "pass" && !ran[package] && !none[name] { why[name] = "TestMain ended before any test" }
  END {
    if (broken) exit 1
    for (name in why) {
      if (!listed++) { print "\ndid not run:"; fflush() }
      print "  " name ": " why[name] | "LC_ALL=C sort"
      if (why[name] !~ /^shared data absent:/) failed++
    }
    close("LC_ALL=C sort")
    if (failed && ci == "true") { print "FAIL: " failed " did not run, and in CI that is a failure"; exit 1 }
  }' "$events/$name.json" || exit 1
exit "$status"
