package docs

import (
	"regexp"
	"strings"
	"testing"
)

// A word of the glossary is one that the program's texts use, and has one row.
func TestGlossary(t *testing.T) {
	var program strings.Builder
	for _, text := range sources(t, "cmd", "config", "consumer", "sink", "index") {
		program.WriteString(strings.ToLower(text))
	}
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\| ([a-z ]+) \|`).
		FindAllStringSubmatch(read(t, "deploy/docs/glossary.md"), -1) {
		word := m[1]
		if word == "word" || word == "in names" {
			continue
		}
		if seen[word] {
			t.Errorf("%s has two meanings", word)
		}
		seen[word] = true
		if strings.Count(program.String(), word) < 5 {
			t.Errorf("nothing in the program is called %s", word)
		}
	}
	if len(seen) < 17 {
		t.Errorf("only %d words: are they still the first column of tables?", len(seen))
	}
}
