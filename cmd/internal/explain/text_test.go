package explain

import (
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

// What differs stands between brackets or in colours; what a text would do to a terminal is written out in both.
func TestWriteDiff(t *testing.T) {
	pieces := []report.Piece{
		{In: report.Elided}, {Words: "both", In: report.Both}, {Words: "red\x1b[2J", In: report.OnlyA}, {Words: "green", In: report.OnlyB},
	}
	for colour, want := range map[bool]string{
		false: "\n... both [-red\\x1b[2J-] {+green+}\n",
		true:  "\n... both \x1b[31mred\\x1b[2J\x1b[0m \x1b[32mgreen\x1b[0m\n",
	} {
		var b strings.Builder
		if writeDiff(&b, pieces, colour); b.String() != want {
			t.Errorf("in colour %v: %q, want %q", colour, b.String(), want)
		}
	}
	var b strings.Builder
	if writeDiff(&b, nil, true); b.Len() > 0 {
		t.Errorf("no difference: %q", b.String())
	}
	t.Setenv("NO_COLOR", "1")
	if terminal.Coloured(&b) {
		t.Error("coloured, though nobody wants it")
	}
}

// Two names, of one shingle each, of which the hashes have their upper 20 bits in common: what verifies says of them what
// the shingles say.
func TestShortTextsAreVerifiedAsTheyAre(t *testing.T) {
	x := explained(t, params(t, "duplicates.method=simhash"), "user564", "user866")
	if x.Verdict != "unique" || x.Jaccard.Part != 0 {
		t.Errorf("user564 and user866 are %s with %v shingles shared: %s; want unique, with none shared", x.Verdict, x.Jaccard.Part, x.Why)
	}
}
