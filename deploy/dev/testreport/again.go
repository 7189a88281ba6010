//go:build unix

package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// alone is a test of a package as it is run again: with the flags that it failed with, and without any other test.
type alone struct {
	flags     string // joined with zero bytes
	pkg, test string
}

// newAlone names the test that a test or subtest belongs to.
func newAlone(flags []string, pkg, test string) alone {
	top, _, _ := strings.Cut(test, "/")
	return alone{strings.Join(flags, "\x00"), pkg, top}
}

func (a alone) args() []string {
	var args []string
	if a.flags != "" {
		args = strings.Split(a.flags, "\x00")
	}
	return append(args, "-count=1", "-run", "^"+a.test+"$", a.pkg)
}

// retries reads how many tests may be run again: none unless the environment says otherwise.
func retries(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("TEST_RETRIES is %q: want a number from 0", text)
	}
	return n, nil
}

// raced says whether a test's output tells of a data race, which is a fault however seldom it is seen.
func raced(output []string) bool {
	for _, line := range output {
		if strings.Contains(line, "DATA RACE") || strings.Contains(line, "race detected during execution") {
			return true
		}
	}
	return false
}

// withoutPackages returns the flags in front of a go test's packages. A flag's value with a slash is written as
// -flag=value.
func withoutPackages(args []string) []string {
	for n := len(args); n > 0; n-- {
		if last := args[n-1]; strings.HasPrefix(last, "-") || !strings.HasPrefix(last, ".") && !strings.Contains(last, "/") {
			return args[:n:n]
		}
	}
	return nil
}

// broken notes that the output of a go test could not be read.
func (r *report) broken(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = append(r.failed, outcome{name: "go test", reason: err.Error()})
}

// again runs each test that failed once more, alone, and calls those that pass unstable. It runs none if more than
// most failed, or if there is a failure of another kind: what was cut off, raced, skipped or not built.
func (r *report) again(ctx context.Context, most int) {
	var tests []alone
	failures := map[alone][]outcome{}
	for _, o := range r.failed {
		if o.alone == (alone{}) {
			return
		}
		if failures[o.alone] == nil {
			tests = append(tests, o.alone)
		}
		failures[o.alone] = append(failures[o.alone], o)
	}
	if len(tests) > most {
		return
	}
	var failed []outcome
	for _, a := range tests {
		fmt.Fprintf(r.out, "\n%s.%s failed: it is run again, alone\n", a.pkg, a.test)
		second := newReport(r.out, r.ci)
		if err := goTest(ctx, a.args(), second); err != nil || len(second.failed) > 0 || second.passed == 0 {
			failed = append(failed, failures[a]...)
			continue
		}
		r.unstable = append(r.unstable, failures[a]...)
	}
	r.failed = failed
}
