// Skips reads the files of events that gotestsum writes (go test -json; see go doc test2json), and lists what did not run,
// with the reason:
//
//	skips FILE...
//
// That is each skipped test, each package whose TestMain ends before any test, and each that failed although none of its
// tests did, or before they had ended: gotestsum repeats such a package without a test, and then it passes. With CI=true
// the exit status is 1 if there is any, but for tests whose reason begins with "shared data absent:". A test that is
// skipped in one of several runs is listed once.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// excused begins the reason for a skip that is no failure even in CI.
const excused = "shared data absent:"

// event is one line of go test -json.
type event struct{ Action, Package, Test, Output string }

func main() {
	skipped := skips{}
	for _, name := range os.Args[1:] {
		if err := skipped.readFile(name); err != nil {
			fmt.Fprintln(os.Stderr, "skips:", err)
			os.Exit(1)
		}
	}
	if failed := skipped.list(os.Stdout); failed > 0 && os.Getenv("CI") == "true" {
		fmt.Printf("FAIL: %d did not run, and in CI that is a failure\n", failed)
		os.Exit(1)
	}
}

// skips are the reasons by test, or by package where none of its tests ran.
type skips map[string]string

func (s skips) readFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return s.read(f)
}

func (s skips) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	output, ran := map[string]string{}, map[string]bool{}
	open, fell := map[string]int{}, map[string]bool{} // tests of a package that have not ended; whether one failed
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the events of go test: %w", err)
		}
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("read the event %.100q: %w", line, err)
		}
		name := strings.TrimSuffix(e.Package+"."+e.Test, ".")
		switch {
		case e.Test == "" && e.Action == "start":
			open[e.Package], fell[e.Package] = 0, false
		case e.Test == "" && e.Action == "fail" && (open[e.Package] > 0 || !fell[e.Package]):
			s[name] = "it ended outside of a test, or before its tests had ended: what did not run is not known"
		case e.Action == "run":
			open[e.Package]++
			ran[e.Package] = true
		case e.Action == "output":
			output[name] += e.Output
		case e.Test == "" && e.Action == "pass":
			if !ran[e.Package] && !strings.Contains(output[name], "[no tests to run]") {
				s[name] = "TestMain ended before any test"
			}
		case e.Test != "" && e.Action == "skip":
			s[name] = reason(output[name])
			fallthrough
		case e.Test != "":
			ran[e.Package] = true
			if slices.Contains([]string{"pass", "fail", "skip"}, e.Action) {
				delete(output, name)
				open[e.Package]--
				fell[e.Package] = fell[e.Package] || e.Action == "fail"
			}
		}
	}
}

// list writes the skipped tests, and returns how many of them have no excuse.
func (s skips) list(w io.Writer) (failed int) {
	if len(s) > 0 {
		fmt.Fprintln(w, "\ndid not run:")
	}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(w, "  %s: %s\n", name, s[name])
		if !strings.HasPrefix(s[name], excused) {
			failed++
		}
	}
	return failed
}

var (
	logged = regexp.MustCompile(`(?m)^\s+[^\s:]+\.go:\d+: `) // before what t.Skip logs
	frame  = regexp.MustCompile(`(?m)^\s*(=== |--- SKIP).*$`)
)

// reason is the last text that a skipped test logged, on one line.
func reason(output string) string {
	texts := logged.Split(frame.ReplaceAllString(output, ""), -1)
	text := strings.Join(strings.Fields(texts[len(texts)-1]), " ")
	if text == "" {
		return "no reason given"
	}
	return text
}
