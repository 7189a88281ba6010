// Skips reads the files of events that gotestsum writes (go test -json; see go doc test2json), and lists each skipped
// test with its reason:
//
//	skips FILE...
//
// With CI=true a skipped test is a failure, unless its reason begins with "shared data absent:". So is a package whose
// TestMain ends before any test. The exit status is then 1. A test that is skipped in one of several runs is listed once.
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
		fmt.Printf("FAIL: %d skipped, and in CI that is a failure\n", failed)
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
			if e.Action != "run" {
				delete(output, name)
			}
		}
	}
}

// list writes the skipped tests, and returns how many of them have no excuse.
func (s skips) list(w io.Writer) (failed int) {
	if len(s) > 0 {
		fmt.Fprintln(w, "\nskipped:")
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
