//go:build unix

// Testreport runs `go test -json` with its arguments and shows what people need of the output: a line for each package
// as it ends, the output of what failed, and at the end each failed and each skipped test with its reason. No skipped
// test goes unreported.
//
// Arguments with "--" between them are those of several go tests, which run at once and share one report:
//
//	testreport -race ./consumer/... -- ./cmd/...
//
// With CI=true a skipped test counts as failed, unless its reason begins with "shared data absent:".
//
// With TEST_RETRIES=N at most N tests that fail are run once more, each alone, when all others have ended. Those that
// pass then are listed as unstable, with the output of their failure above. Nothing is run again if more failed, or
// if anything raced, did not end, was skipped or could not be built.
//
// The last line counts tests: `12 passed, 0 failed, 1 skipped`. Of a test with subtests only these are counted, unless
// it failed by itself. A package that could not be built, or that ended outside of a test, is one failure. The exit
// status is 0 only if nothing failed.
//
// Why not gotestsum: version 1.13.0 was tried beside this program on a module with one test of each kind, and would not
// make it shorter by much. It prints as it runs and lists what failed, but passes with skipped tests and with a
// TestMain that runs none, so a policy on skips has to read its events and their reasons a second time. It counts a
// test beside its subtests. Interrupted, it passes the signal to go test alone: a test that doesn't heed it was still
// running after 25 s, where this program had killed it and all it had started after 10 s. What could go is the
// printing, half of this program; what would come is a second program in front of it.
package main
