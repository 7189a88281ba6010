package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/comparison"
)

// WriteComparison writes how the verdicts of two groups differ.
func WriteComparison(out io.Writer, r *comparison.Report, asJSON bool) error {
	if asJSON {
		return terminal.WriteJSON(out, r)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "old group %s, new group %s: %s of %s, the newest that both have committed\n\n",
		r.OldGroup, r.NewGroup, terminal.Several(int(r.Documents), "document"), terminal.Several(len(r.Spans), "partition"))
	counts(&b, r)
	similarities(&b, r)
	if len(r.Examples) > 0 {
		b.WriteString("\n")
	}
	for i := range r.Examples {
		e := &r.Examples[i]
		fmt.Fprintf(&b, "%s: old %s, new %s\n", e.Source, said(&e.Old), said(&e.New))
	}
	differ := r.OtherOriginal + r.OnlyOld + r.OnlyNew + r.RejectedByOld + r.RejectedByNew
	switch known := r.Documents - r.NoOutput - r.Unclear - r.Before; {
	case known == 0:
		b.WriteString("\nof no document both verdicts are known\n")
	case differ == 0:
		fmt.Fprintf(&b, "\nthe verdicts are the same on all of %s\n", terminal.Several(int(known), "document"))
	default:
		fmt.Fprintf(&b, "\nthe verdicts differ on %s of %s (%s)\n", terminal.Grouped(int(differ)),
			terminal.Several(int(known), "document"), percent(differ, known))
	}
	_, err := io.WriteString(out, terminal.Harmless(trimmedLines(b.String())))
	return err
}

// counts writes how many documents there are of each kind.
func counts(b *strings.Builder, r *comparison.Report) {
	for _, line := range []struct {
		count int64
		what  string
		rare  bool // shown only if it is not 0
	}{
		{r.BothUnique, "unique in both", false},
		{r.SameOriginal, "duplicates in both, of the same original", false},
		{r.OtherFirst, "copies of the same in both, and another one came first", false},
		{r.OtherOriginal, "duplicates in both, of another original", false},
		{r.OnlyOld, "duplicates only in the old group", false},
		{r.OnlyNew, "duplicates only in the new group", false},
		{r.BothRejected, "rejected by both", true},
		{r.RejectedByOld, "rejected only by the old group", true},
		{r.RejectedByNew, "rejected only by the new group", true},
		{r.NoOutput, "not known: no output of the old group has them", true},
		{r.Unclear, "not known: the old group judged them several times, and its outputs differ", true},
		{r.Before, fmt.Sprintf("not known: the new group judged them before offset %d of its journal, or not at all",
			r.JournalFrom), true},
	} {
		if line.count > 0 || !line.rare {
			fmt.Fprintf(b, "%12s %8s  %s\n", terminal.Grouped(int(line.count)), percent(line.count, r.Documents), line.what)
		}
	}
}

func percent(n, of int64) string { return fmt.Sprintf("%.2f %%", 100*float64(n)/float64(max(1, of))) }

// barColumns is the longest bar.
const barColumns = 10

// similarities writes the histograms beside each other, from the lowest similarity that there is. The bars of both
// groups have one scale. So have those of what only one of them found.
func similarities(b *strings.Builder, r *comparison.Report) {
	columns := []*comparison.Shares{&r.Old.Shares, &r.New.Shares, &r.OldAlone, &r.NewAlone}
	first := comparison.Steps
	var most [4]int64
	for of, c := range columns {
		for i, n := range c {
			most[of] = max(most[of], n)
			if n > 0 {
				first = min(first, i)
			}
		}
	}
	if first == comparison.Steps {
		return
	}
	fmt.Fprintf(b, "\n%-11s", "similarity")
	for _, title := range []string{"old", "new", "only old", "only new"} {
		fmt.Fprintf(b, " %9s %-*s", title, barColumns, "")
	}
	b.WriteString("\n")
	for i := first; i < comparison.Steps; i++ {
		fmt.Fprintf(b, "%.2f - %.2f", float64(i)/comparison.Steps, float64(i+1)/comparison.Steps)
		for of, c := range columns {
			scale := max(1, most[of], most[of^1])
			fmt.Fprintf(b, " %9s %s", terminal.Grouped(int(c[i])),
				terminal.Pad(terminal.Bar(float64(c[i])/float64(scale), barColumns), barColumns))
		}
		b.WriteString("\n")
	}
}

func said(s *comparison.Said) string {
	switch {
	case s.Match == "":
		return s.Verdict
	case s.Verdict == "duplicate":
		return fmt.Sprintf("%s of %s (%.4f)", s.Verdict, s.Match, s.Similarity)
	}
	return fmt.Sprintf("%s, a copy of %s (%.4f) let through", s.Verdict, s.Match, s.Similarity)
}
