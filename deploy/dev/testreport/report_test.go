//go:build unix

package main

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the transcripts")

// TestReport feeds the events of each transcript to a report and compares everything it says. Transcripts named ci* run
// as in CI.
func TestReport(t *testing.T) {
	transcripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(transcripts) == 0 {
		t.Fatal("no transcripts:", err)
	}
	for _, name := range transcripts {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			r := newReport(&out, strings.HasPrefix(filepath.Base(name), "ci"))
			for line := range strings.Lines(string(archive.Files[0].Data)) {
				r.line(nil, eventLine(t, line))
			}
			ok := r.finish(nil)
			if want := strings.Contains(out.String(), " 0 failed"); ok != want {
				t.Errorf("ok is %t, but the report says:\n%s", ok, &out)
			}
			if *update {
				archive.Files[1].Data = []byte(out.String())
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want := string(archive.Files[1].Data); out.String() != want {
				t.Errorf("got:\n%s\nwant:\n%s", &out, want)
			}
		})
	}
}

// eventLine turns "action package test | output" into an event as go test writes it. A dot means no test, a hash no
// event. The output of a fail is the build that failed.
func eventLine(t *testing.T, line string) []byte {
	t.Helper()
	if strings.HasPrefix(line, "#") {
		return []byte(line)
	}
	head, output, _ := strings.Cut(line, " | ")
	words := strings.SplitN(strings.TrimSpace(head), " ", 3)
	e := event{Action: words[0], Package: words[1], Test: strings.TrimPrefix(words[2], "."), Output: output}
	if strings.HasPrefix(e.Action, "build-") {
		e = event{Action: words[0], ImportPath: words[1] + " " + words[2], Output: output}
	}
	if e.Action == "fail" {
		e.FailedBuild = e.Output
	}
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestGoTestThatFailsByItself(t *testing.T) {
	var out strings.Builder
	if newReport(&out, false).finish(os.ErrInvalid) {
		t.Error("an error of go test without a failed test must not pass")
	}
	if !strings.HasSuffix(out.String(), "\n0 passed, 1 failed\n") {
		t.Errorf("got:\n%s", &out)
	}
}
