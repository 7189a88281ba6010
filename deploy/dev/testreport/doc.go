//go:build unix

// Testreport runs `go test -json` with its arguments and tells what people want of it: a line for each package as it ends,
// the output of what failed, and at the end each failed and each skipped test with its reason. No skip goes silent.
//
// With CI=true a skipped test is a failed one, but for those whose reason begins with "shared data absent:".
//
// The last line counts tests: `12 passed, 0 failed, 1 skipped`. A test with subtests is counted by them, unless it failed by
// itself; a package that could not be built, or that ended outside of a test, is one failure. The exit status is 0 only
// if nothing failed.
package main
