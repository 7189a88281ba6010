package demo

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/unecho/unecho/cmd/internal/terminal"
)

// Summary is the result of a run of the demo. Its JSON is a promise to scripts.
type Summary struct {
	Documents          int      `json:"documents"`
	Unique             int      `json:"unique"`
	Duplicate          int      `json:"duplicate"`
	Rejected           int      `json:"rejected"`
	Precision          *float64 `json:"precision"` // null if nothing was judged a duplicate, or there are too many documents or pairs to look at
	Recall             *float64 `json:"recall"`    // null if there was nothing to find, or as precision is
	Seconds            float64  `json:"seconds"`
	DocumentsPerSecond float64  `json:"documents_per_second"`
	PeakRSSBytes       int64    `json:"peak_rss_bytes"` // 0 where the system does not say

	Threshold float64  `json:"-"`
	Degrees   []degree `json:"-"`
}

// WriteText writes the summary for people.
func (s Summary) WriteText(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s documents in %.1f s: %s a second", terminal.Grouped(s.Documents), s.Seconds,
		terminal.Grouped(int(s.DocumentsPerSecond)))
	if s.PeakRSSBytes > 0 {
		fmt.Fprintf(&b, ", %s MiB of memory at the peak", terminal.Grouped(int(s.PeakRSSBytes>>20)))
	}
	b.WriteString("\n\n")
	for _, row := range []struct {
		name  string
		count int
	}{{"unique", s.Unique}, {"duplicate", s.Duplicate}, {"rejected", s.Rejected}} {
		fmt.Fprintf(&b, "  %-10s %9s  %s\n", row.name, terminal.Grouped(row.count), percent(row.count, s.Documents))
	}
	b.WriteByte('\n')
	s.shares(&b)
	s.degrees(&b)
	text := b.String()
	if file, ok := out.(*os.File); ok && terminal.Is(file) {
		text = cutAt(terminal.WidthOf(file), text)
	}
	_, err := io.WriteString(out, text)
	return err
}

// cutAt cuts lines that are wider than a terminal, as the lines of the verdicts are. Each character has one column.
func cutAt(columns int, text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if runes := []rune(line); len(runes) > columns {
			lines[i] = string(runes[:columns-1]) + "…"
		}
	}
	return strings.Join(lines, "\n")
}

func (s Summary) shares(b *strings.Builder) {
	for _, row := range []struct {
		name  string
		share *float64
		means string
	}{
		{"precision", s.Precision, "of those judged duplicate, truly so similar to their match"},
		{"recall", s.Recall, "of those so similar to a kept document, judged duplicate"},
	} {
		value := "     -"
		if row.share != nil {
			value = fmt.Sprintf("%.4f", *row.share)
		}
		fmt.Fprintf(b, "  %-10s %9s  %s\n", row.name, value, row.means)
	}
}

// degrees writes the table of recall by degree of editing. The threshold separates the documents to find from the
// others.
func (s Summary) degrees(b *strings.Builder) {
	if len(s.Degrees) == 0 {
		return
	}
	fmt.Fprintf(b, "\n  similarity to the      documents   judged duplicate\n  nearest kept document              "+
		"(threshold %g)\n", s.Threshold)
	for _, d := range s.Degrees {
		name := fmt.Sprintf("%.1f to %.1f", d.From, d.To)
		if d.From >= 1 {
			name = "1"
		}
		line := fmt.Sprintf("  %-21s %10s %9s  %s  %s", name, terminal.Grouped(d.Documents), terminal.Grouped(d.Duplicate),
			percent(d.Duplicate, d.Documents), terminal.Bar(ratio(d.Duplicate, d.Documents), 20))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

func percent(part, whole int) string {
	if whole == 0 {
		return "      -"
	}
	return fmt.Sprintf("%5.1f %%", 100*ratio(part, whole))
}

func ratio(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
