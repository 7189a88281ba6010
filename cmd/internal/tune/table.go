package tune

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/unecho/unecho/cmd/internal/terminal"
)

// What is shown of a report. A terminal of 24 lines keeps one for the summary, and one for what is typed next.
const (
	lines      = 22
	columns    = 79
	mostTruths = 4
	mostBest   = 5
)

// WriteTable writes what is needed to choose, on one screen: the truth of each shingle, the best settings of the
// recommended one, the recommendation, and why. It shows fewer settings where there is more to say.
func (r *Report) WriteTable(out io.Writer) error {
	text := ""
	for most := mostBest; most > 0; most-- {
		if text = r.table(min(mostTruths, most), most); strings.Count(text, "\n") <= lines {
			break
		}
	}
	_, err := io.WriteString(out, text)
	return err
}

func (r *Report) table(truths, settings int) string {
	var b strings.Builder
	if r.Labelled > 0 {
		r.writeByLabels(&b, truths, settings)
	} else {
		r.writeTruths(&b, truths)
		r.writeBest(&b, settings)
	}
	if n := len(r.Skipped); n > 0 {
		first := fmt.Sprintf("not tried: %s, such as %s: %s (--all)", terminal.Several(n, "setting"), r.Skipped[0].Setting,
			r.Skipped[0].Why)
		b.WriteString(wrap(terminal.Printable(first, 2*columns-10)))
	}
	r.writeRecommended(&b)
	return b.String()
}

// truths returns the sources, without the other hashes of a shingle: these find the same pairs.
func (r *Report) truths() []Source {
	var all []Source
	for _, s := range r.Sources {
		if len(all) == 0 || all[len(all)-1].Compared() != s.Compared() {
			all = append(all, s)
		}
	}
	return all
}

func (r *Report) writeTruths(b *strings.Builder, most int) {
	all := r.truths()
	if len(all) == 0 {
		return
	}
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	also := ""
	if r.Recommended != nil {
		also = fmt.Sprintf("by %s as well\t", r.Recommended.Compared())
	}
	fmt.Fprintf(w, "shingle\tpairs at %v\tidentical\tnear\t%sbest bands\t\n", r.At, also)
	for _, s := range all[:min(most, len(all))] {
		best := "-"
		if s.Best != nil {
			best = s.Best.bandsText()
		}
		if also != "" {
			best = terminal.Grouped(s.Common) + "\t" + best
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t\n", s.Compared(), terminal.Grouped(s.At), terminal.Grouped(s.Identical),
			terminal.Grouped(s.At-s.Identical), best)
	}
	_ = w.Flush() // writes to memory
	if n := len(all) - most; n > 0 {
		fmt.Fprintf(b, "... and %s (--all)\n", terminal.Several(n, "other"))
	}
	b.WriteString(wrap(r.Truths()))
}

// Truths says whether shingles agree about what is alike.
func (r *Report) Truths() string {
	all := r.truths()
	if len(all) < 2 || r.Recommended == nil {
		return ""
	}
	same := true
	for _, s := range all {
		same = same && s.At == s.Common && s.At == r.shown().At
	}
	if same {
		return "All shingles find the same pairs in this sample; a setting is recommended for the first of them."
	}
	return fmt.Sprintf("Each shingle has a truth of its own, so figures of two of them do not compare. The recommendation is "+
		"made for %s; which shingle is right, pairs that you know can say (--pairs).", r.Recommended.Compared())
}

// shown returns the source whose settings are shown: the recommended one, or else the first.
func (r *Report) shown() *Source {
	for i, s := range r.Sources {
		if r.Recommended == nil || s.source() == r.Recommended.source() {
			return &r.Sources[i]
		}
	}
	return nil
}

func (r *Report) writeBest(b *strings.Builder, most int) {
	shown := r.shown()
	if shown == nil {
		return
	}
	rows := r.rowsOf(shown)
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s %s, verify %s, the best first; recall is that of near copies:\n", shown.Compared(), shown.Hash, r.Verify)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	last := "cand./doc"
	if r.estimates() {
		last = "precision"
	}
	fmt.Fprintf(w, "sketch\tslots\tbands\trows\tcurve\trecall\t%s\tcost ns\tbytes/doc\t\n", last)
	for i, row := range rows[:min(most, len(rows))] {
		mark := ""
		if i == 0 && r.Recommended != nil {
			mark = "> "
		}
		name, slots, rowsOf, curve := row.columns()
		last := fmt.Sprintf("%.2f", row.CandidatesPerDocument)
		if r.estimates() {
			last = fmt.Sprintf("%.4f", row.Precision)
		}
		fmt.Fprintf(w, "%s%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%.0f\t\n", mark, name, slots, row.Bands, rowsOf, curve,
			row.near(row.Near.Recall), last, r.cost(row), row.BytesPerDocument)
	}
	_ = w.Flush() // writes to memory
	if n := len(rows) - most; n > 0 {
		fmt.Fprintf(b, "... and %s (--all)\n", terminal.Several(n, "other"))
	}
	b.WriteByte('\n')
}

// leastCosted is how many documents a sample needs for a figure of what one costs in a full window. Of fewer the unlike
// documents that one meets say too little about a window of millions.
const leastCosted = 1000

// cost is what a document costs with a setting, as far as the sample can say.
func (r *Report) cost(row *Row) string {
	if r.Documents < leastCosted {
		return "-"
	}
	return fmt.Sprintf("%.0f", row.CostNanoseconds)
}

// writeByLabels writes the best setting of each shingle, and the best of all: all are held against the same pairs.
func (r *Report) writeByLabels(b *strings.Builder, truths, settings int) {
	fmt.Fprintf(b, "%s, verify %s: the best of each shingle, then of all\n\n",
		terminal.Several(r.Labelled, "labelled pair"), r.Verify)
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "shingle\tat\tsketch\tslots\tbands\trows\tprecision\trecall\tF1\tcost ns\t\n"
	line := func(row *Row) {
		mark := ""
		if r.Recommended != nil && row.Setting == r.Recommended.Setting {
			mark = "> "
		}
		name, slots, rows, _ := row.columns()
		fmt.Fprintf(w, "%s%s\t%v\t%s\t%d\t%d\t%s\t%.4f\t%.4f\t%.4f\t%s\t\n", mark, row.Compared(), row.Threshold, name, slots,
			row.Bands, rows, row.Precision, row.Recall, row.F1, r.cost(row))
	}
	fmt.Fprint(w, head)
	shown := 0
	for _, s := range r.Sources {
		if s.Best != nil && shown < truths {
			line(s.Best)
			shown++
		}
	}
	rows := r.weighed()
	fmt.Fprint(w, strings.Repeat("\t", strings.Count(head, "\t"))+"\n")
	for _, row := range rows[:min(settings, len(rows))] {
		line(row)
	}
	_ = w.Flush() // writes to memory
	b.WriteString(terminal.Trimmed(table.String()))
	if n := len(rows) - settings; n > 0 {
		fmt.Fprintf(b, "... and %s (--all)\n", terminal.Several(n, "other"))
	}
	b.WriteByte('\n')
}

func (r *Report) writeRecommended(b *strings.Builder) {
	if best := r.Recommended; best != nil {
		b.WriteString(wrap(fmt.Sprintf("recommended by %s at %v: %s", r.By, best.Threshold, best.Setting)))
		b.WriteString(wrap("because " + r.Reason))
	} else {
		b.WriteString(wrap("nothing to recommend: " + r.NotRecommended))
	}
	if r.Labelled == 0 {
		b.WriteString(wrap(r.Short))
	}
}

func wrap(text string) string {
	if text == "" {
		return ""
	}
	return terminal.Wrapped(text, columns) + "\n"
}

// WriteAll writes all rows with all figures, those of a setting together, and what is known about each truth.
func (r *Report) WriteAll(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "shingle\thash\tsketch\tslots\tbands\trows\tthreshold\tcurve\tprecision\trecall\tf1\tnear recall\tnear f1\ttp\tfp\tfn\tcut\tcandidates/doc\tcost ns\tbytes/doc\tindex MB\tseconds\t")
	for _, row := range r.Rows {
		name, slots, rows, curve := row.columns()
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%s\t%v\t%s\t%.4f\t%.4f\t%.4f\t%s\t%s\t%d\t%d\t%d\t%d\t%.2f\t%.0f\t%.0f\t%.1f\t%.3f\t\n",
			row.Compared(), row.Hash, name, slots, row.Bands, rows, row.Threshold, curve, row.Precision, row.Recall,
			row.F1, row.near(row.Near.Recall), row.near(row.Near.F1),
			row.TruePositives, row.FalsePositives, row.FalseNegatives, row.UniqueCut,
			row.CandidatesPerDocument, row.CostNanoseconds, row.BytesPerDocument, float64(row.IndexBytes)/1e6, row.Seconds)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, s := range r.Skipped {
		if _, err := fmt.Fprintf(out, "not tried: %s: %s\n", s.Setting, s.Why); err != nil {
			return err
		}
	}
	for _, s := range r.Sources {
		if _, err := fmt.Fprintf(out, "%s %s: %d documents of %.0f shingles, %d pairs at or above %v, %d of them identical, found "+
			"by an exact join in %.2f s\n",
			s.Compared(), s.Hash, s.Documents, s.Shingles, s.Pairs, s.Floor, s.Identical, s.JoinSeconds); err != nil {
			return err
		}
	}
	return nil
}

// columns returns what tables show of a setting in the columns of slots and rows, which sketches by distance lack.
func (r *Row) columns() (name string, slots int, rows, curve string) {
	if r.ByDistance() {
		return fmt.Sprintf("%s d=%d", r.Sketch, r.Distance), r.Bits, "-", "-"
	}
	return r.Sketch, r.Slots, fmt.Sprint(r.Rows), fmt.Sprintf("%.4f", r.Curve)
}

// near writes a figure about copies that are not identical, if there are any.
func (r *Row) near(figure float64) string {
	if r.Near.True() == 0 {
		return "-"
	}
	return fmt.Sprintf("%.4f", figure)
}
