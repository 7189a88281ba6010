//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// excused is the beginning of a reason for a skip that is no failure even in CI.
const excused = "shared data absent:"

// event is one line of go test -json; see `go doc test2json`.
type event struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Output      string
	FailedBuild string
}

// test is a running test, or one whose subtests run.
type test struct {
	output      []string
	subtests    bool
	failedBelow bool
}

// packet is what is known of a package whose tests run.
type packet struct {
	key     string   // in the report's packages
	output  []string // output outside of tests
	tests   map[string]*test
	flags   []string // of the go test that it is part of
	counted int      // number of tests that have ended
	failed  int
	empty   bool // go test itself says that there was no test to run
}

// outcome is a test that is reported to the reader at the end.
type outcome struct {
	name, reason string
	alone        alone // how it is run again; zero: it is not
}

// report gathers the events of several go tests. Those that test the same package have different flags.
type report struct {
	out      io.Writer
	ci       bool
	mu       sync.Mutex         // guards all below while go tests run
	packages map[string]*packet // by flags and name: a package may be part of several go tests
	builds   map[string][]string
	passed   int
	failed   []outcome
	unstable []outcome // failed, and passed when they were run again
	skipped  []outcome
}

func newReport(out io.Writer, ci bool) *report {
	return &report{out: out, ci: ci, packages: map[string]*packet{}, builds: map[string][]string{}}
}

// line takes one line of the output of a go test with such flags. It shows a line that is not an event as it is.
func (r *report) line(flags []string, text []byte) {
	var e event
	r.mu.Lock()
	defer r.mu.Unlock()
	if json.Unmarshal(text, &e) != nil || e.Action == "" {
		fmt.Fprintf(r.out, "%s", text)
		return
	}
	switch {
	case e.Action == "build-output":
		r.builds[e.ImportPath] = append(r.builds[e.ImportPath], e.Output)
	case e.Action == "build-fail":
		r.print(r.builds[e.ImportPath])
	case e.Test != "":
		r.testEvent(r.packet(e.Package, flags), e)
	case e.Package != "":
		r.packageEvent(r.packet(e.Package, flags), e)
	}
}

func (r *report) packet(name string, flags []string) *packet {
	key := strings.Join(append(slices.Clip(flags), name), "\x00")
	p := r.packages[key]
	if p == nil {
		p = &packet{key: key, tests: map[string]*test{}, flags: flags}
		r.packages[key] = p
	}
	return p
}

func (r *report) testEvent(p *packet, e event) {
	t := p.tests[e.Test]
	if t == nil {
		t = &test{}
		p.tests[e.Test] = t
		if parent := p.parent(e.Test); parent != nil {
			parent.subtests = true
		}
	}
	switch e.Action {
	case "output":
		t.output = append(t.output, e.Output)
	case "pass", "fail", "skip":
		r.ended(p, t, e)
		delete(p.tests, e.Test)
	}
}

// parent is the running test that name is a subtest of. A subtest's own name may hold slashes.
func (p *packet) parent(name string) *test {
	for i := strings.LastIndexByte(name, '/'); i > 0; i = strings.LastIndexByte(name[:i], '/') {
		if t := p.tests[name[:i]]; t != nil {
			return t
		}
	}
	return nil
}

func (r *report) ended(p *packet, t *test, e event) {
	p.counted++
	switch e.Action {
	case "pass":
		if !t.subtests {
			r.passed++
		}
	case "skip":
		r.skip(p, outcome{name: e.Package + "." + e.Test, reason: skipReason(t.output)})
	case "fail":
		if parent := p.parent(e.Test); parent != nil {
			parent.failedBelow = true
		}
		r.print(t.output)
		if !t.failedBelow {
			o := outcome{name: e.Package + "." + e.Test}
			if !raced(t.output) {
				o.alone = newAlone(p.flags, e.Package, e.Test)
			}
			r.fail(p, o)
		}
	}
}

func (r *report) fail(p *packet, o outcome) {
	p.failed++
	r.failed = append(r.failed, o)
}

// skip lists a skipped test. In CI the test counts as failed unless it is excused.
func (r *report) skip(p *packet, o outcome) {
	if r.ci && !strings.HasPrefix(o.reason, excused) {
		o.reason = "skipped, and in CI that is a failure: " + o.reason
		r.fail(p, o)
		return
	}
	r.skipped = append(r.skipped, o)
}

func (r *report) packageEvent(p *packet, e event) {
	switch e.Action {
	case "output":
		p.output = append(p.output, e.Output)
		p.empty = p.empty || strings.Contains(e.Output, "[no tests to run]")
	case "skip": // the package has no test files
		r.print(p.output)
		delete(r.packages, p.key)
	case "pass":
		r.print(summaryLines(p.output))
		if p.counted == 0 && !p.empty {
			r.skip(p, outcome{name: e.Package, reason: "TestMain ended before any test"})
		}
		delete(r.packages, p.key)
	case "fail":
		r.packageFailed(p, e)
		delete(r.packages, p.key)
	}
}

// packageFailed shows the output outside of tests, and the tests that were cut off when the process ended.
func (r *report) packageFailed(p *packet, e event) {
	cut := make([]string, 0, len(p.tests))
	for name, t := range p.tests {
		if !t.subtests {
			cut = append(cut, name)
		}
	}
	slices.Sort(cut)
	for _, name := range cut {
		r.print(p.tests[name].output)
		r.fail(p, outcome{name: e.Package + "." + name, reason: "did not end"})
	}
	r.print(p.output)
	if p.failed == 0 {
		reason := "failed outside of a test"
		if e.FailedBuild != "" {
			reason = "build failed"
		}
		r.fail(p, outcome{name: e.Package, reason: reason})
	}
}

// finish writes the summary for the reader and returns whether all is well. err is how go test ended.
func (r *report) finish(err error) bool {
	if err != nil && len(r.failed)+len(r.unstable) == 0 {
		r.failed = append(r.failed, outcome{name: "go test", reason: err.Error()})
	}
	r.list("failed:", r.failed)
	r.list("UNSTABLE, failed above and passed when run again alone; find out why:", r.unstable)
	r.list("skipped:", r.skipped)
	if len(r.failed)+len(r.unstable)+len(r.skipped) > 0 {
		fmt.Fprintln(r.out)
	}
	fmt.Fprintf(r.out, "%d passed, %d failed", r.passed, len(r.failed))
	if len(r.unstable) > 0 {
		fmt.Fprintf(r.out, ", %d unstable", len(r.unstable))
	}
	if len(r.skipped) > 0 {
		fmt.Fprintf(r.out, ", %d skipped", len(r.skipped))
	}
	fmt.Fprintln(r.out)
	return len(r.failed) == 0
}

func (r *report) list(title string, outcomes []outcome) {
	if len(outcomes) == 0 {
		return
	}
	fmt.Fprintf(r.out, "\n%s\n", title)
	for _, o := range outcomes {
		name := o.name
		if o.reason != "" {
			name += ": " + o.reason
		}
		fmt.Fprintf(r.out, "  %s\n", name)
	}
}

func (r *report) print(lines []string) {
	for _, line := range lines {
		fmt.Fprint(r.out, line)
	}
}

// summaryLines returns go test's own lines about a package that passed, without "PASS" and the shuffle's seed.
func summaryLines(output []string) []string {
	var kept []string
	for _, line := range output {
		if strings.HasPrefix(line, "ok ") || strings.HasPrefix(line, "?") {
			kept = append(kept, line)
		}
	}
	return kept
}

// skipReason returns the last text that a skipped test logged, on one line: t.Skip logs its reason as "file.go:12:
// reason".
func skipReason(output []string) string {
	logged := regexp.MustCompile(`^\s+[^\s:]+\.go:\d+: (.*)`)
	var reason []string
	for _, line := range output {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "=== ") || strings.HasPrefix(strings.TrimSpace(line), "--- SKIP") {
			continue
		}
		if found := logged.FindStringSubmatch(line); found != nil {
			reason = reason[:0]
			line = found[1]
		}
		reason = append(reason, strings.TrimSpace(line))
	}
	if len(reason) == 0 {
		return "no reason given"
	}
	return strings.Join(reason, " ")
}
