package explain

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index"
)

// Also says what is written only if somebody asks for it.
type Also struct {
	Normal bool // the normal forms
	Shared bool // the shared shingles
}

// WriteText writes it for people.
func WriteText(out io.Writer, p index.Params, x *Explanation, also Also) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-14s "+format+"\n", append([]any{name}, args...)...)
	}
	line("A", "%d bytes, %d shingles (%s)%s", x.A.Bytes, x.A.Shingles, p.Duplicates.Shingle, x.A.how())
	line("B", "%d bytes, %d shingles%s", x.B.Bytes, x.B.Shingles, x.B.how())
	b.WriteByte('\n')
	line("exact Jaccard", "%.4f  %d shingles of %d are shared", x.Jaccard.Value, x.Jaccard.Part, x.Jaccard.Whole)
	for _, l := range x.agreement.Lines {
		line(l.Name, "%s", l.Text)
	}
	line("Levenshtein", "%.4f  of the normalised texts%s", x.Levenshtein, x.LevenshteinOf())
	b.WriteByte('\n')
	line("verdict", "%s: %s", x.Verdict, x.Why)
	if x.Flip != "" {
		line("otherwise", "with %s", x.Flip)
	}
	b.WriteByte('\n')
	writeSome(line, "only in A", x.A.Only)
	writeSome(line, "only in B", x.B.Only)
	writeSome(line, "not counted", slices.Compact(slices.Sorted(slices.Values(slices.Concat(x.A.Ignored, x.B.Ignored)))))
	if also.Shared {
		line("shared", "%s", quoted(x.Shared))
	}
	if also.Normal {
		fmt.Fprintf(&b, "\nnormal form of A\n%s\n\nnormal form of B\n%s\n", terminal.Harmless(x.A.Normalized),
			terminal.Harmless(x.B.Normalized))
	}
	writeDiff(&b, x.Diff(), terminal.Coloured(out))
	_, err := io.WriteString(out, b.String())
	return err
}

// how says how a document is compared, where that is not by its words.
func (d *Document) how() string {
	ignored := ""
	if n := len(d.Ignored); n > 0 {
		ignored = fmt.Sprintf(" and %d that do not count, %.4f of all", n, d.LeftOut)
	}
	if d.ByBytes {
		return ignored + ", compared by the bytes: more than 5 % is not UTF-8 or cannot be read"
	}
	return ignored
}

// writeSome writes the first few of a list of shingles.
func writeSome(line func(name, format string, args ...any), name string, shingles []string) {
	const most = 8
	if len(shingles) == 0 {
		return
	}
	more := ""
	if len(shingles) > most {
		more = fmt.Sprintf(" and %d more (--json has all)", len(shingles)-most)
	}
	line(name, "%s%s", quoted(shingles[:min(most, len(shingles))]), more)
}

func quoted(shingles []string) string {
	all := make([]string, len(shingles))
	for i, s := range shingles {
		all[i] = strconv.Quote(s)
	}
	return strings.Join(all, ", ")
}

// mostColumns of a run of words are shown: where texts have little in common, the rest says nothing.
const mostColumns = 400

// writeDiff writes what differs word by word: in colour on a terminal, else between brackets.
func writeDiff(b *strings.Builder, pieces []report.Piece, colour bool) {
	if len(pieces) == 0 {
		return
	}
	marks := map[report.Side][2]string{
		report.OnlyA: {"[-", "-]"}, report.OnlyB: {"{+", "+}"}, report.Both: {"", ""}, report.Elided: {"...", ""},
	}
	if colour {
		marks[report.OnlyA], marks[report.OnlyB] = [2]string{"\x1b[31m", "\x1b[0m"}, [2]string{"\x1b[32m", "\x1b[0m"}
	}
	b.WriteByte('\n')
	for i, piece := range pieces {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(marks[piece.In][0] + terminal.Printable(piece.Words, mostColumns) + marks[piece.In][1])
	}
	b.WriteByte('\n')
}
