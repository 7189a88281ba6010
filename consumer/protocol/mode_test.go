package protocol

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestNobodyAsksForTheMode: what a mode does otherwise stands in its own file. The others ask a Mode what to do, and not
// which one it is.
func TestNobodyAsksForTheMode(t *testing.T) {
	own := []string{
		"mode.go", "live.go", "backfill.go", // the modes
		"plan.go", "duty.go", "handover.go", // what they are made of
	}
	asks := regexp.MustCompile(`\b(Fills|ByPlace|ByArrival)\b|\*(protocol\.)?Plan\b|\.Plan\b|\.\((live|backfill)\)`)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	sessions, err := filepath.Glob("../session/*.go")
	if err != nil || len(sessions) == 0 {
		t.Fatalf("%d files of package session, error %v", len(sessions), err)
	}
	for _, file := range append(files, sessions...) {
		if strings.HasSuffix(file, "_test.go") || slices.Contains(own, file) {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			code, _, _ := strings.Cut(line, "//")
			if asks.MatchString(code) {
				t.Errorf("%s:%d asks for the mode, want that Mode says what to do: %s", file, i+1, line)
			}
		}
	}
}
