package demo

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/unecho/unecho/consumer/topic"
)

// TestJSONIsHarmless: what documents and their names hold reaches no terminal as a command, and no program in another
// form.
func TestJSONIsHarmless(t *testing.T) {
	const evil = "\u009b2Jtext\u0085\x7f\u202e"
	var b strings.Builder
	if err := WriteJSON(&b, &topic.Record{Topic: "news", Key: []byte(evil), Value: []byte(evil)}); err != nil {
		t.Fatal(err)
	}
	var lines []map[string]any
	for line := range strings.Lines(b.String()) {
		if strings.ContainsFunc(strings.TrimSuffix(line, "\n"), func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("the line %q has a character that is not printable; want none", line)
		}
		var got map[string]any
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, got)
	}
	if len(lines) != 1 || lines[0]["value"] != evil || lines[0]["key"] != evil {
		t.Errorf("it is %v", lines)
	}
}
