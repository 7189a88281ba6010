package docs

import (
	"regexp"
	"strings"
	"testing"
)

// A message that the runbook explains is one that the program writes: its pieces stand together in one file.
func TestRunbookMessagesExist(t *testing.T) {
	program := sources(t, "cmd", "consumer", "index", "sink")
	first := regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")
	runbook := read(t, "deploy/docs/runbook.md")
	_, messages, _ := strings.Cut(runbook, "## It does not start")
	found := first.FindAllStringSubmatch(messages, -1)
	if len(found) < 20 {
		t.Fatalf("only %d messages in the runbook: is it still made of tables?", len(found))
	}
	for _, m := range found {
		if !together(program, strings.Split(m[1], "…")) {
			t.Errorf("no file of the program writes %q", m[1])
		}
	}
}

func together(program map[string]string, pieces []string) bool {
	for _, text := range program {
		all := true
		for _, piece := range pieces {
			all = all && strings.Contains(text, strings.TrimSpace(piece))
		}
		if all {
			return true
		}
	}
	return false
}

// Everything that ends the process on purpose stands in the runbook.
func TestRunbookHasEveryStop(t *testing.T) {
	what := regexp.MustCompile(`stop\.Error\{\s*What:\s*(?:fmt\.Sprintf\()?"((?:[^"\\]|\\.)*)"`)
	verb := regexp.MustCompile(`%[0-9]*[a-z]|\\n`)
	runbook, stops := read(t, "deploy/docs/runbook.md"), 0
	for path, text := range sources(t, "consumer") {
		for _, m := range what.FindAllStringSubmatch(text, -1) {
			stops++
			longest := ""
			for _, piece := range verb.Split(m[1], -1) {
				if piece = strings.Trim(piece, " :,("); len(piece) > len(longest) {
					longest = piece
				}
			}
			if !strings.Contains(runbook, longest) {
				t.Errorf("%s: the runbook does not know %q", path, m[1])
			}
		}
	}
	if stops < 7 {
		t.Errorf("only %d of stop.Error found: are they still written so?", stops)
	}
}
