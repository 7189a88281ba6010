package tune

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// WriteTable writes the rows for people, those of a setting together.
func (r *Report) WriteTable(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "shingle\thash\tsketch\tslots\tbands\trows\tthreshold\tstage\tprecision\trecall\tf1\ttp\tfp\tfn\tmatches\terror\t+-\tcandidates/doc\tcost ns\tbytes/doc\tindex MB\tseconds\t")
	for _, row := range r.Rows {
		name, slots, rows := row.Sketch, row.Slots, fmt.Sprint(row.Rows)
		if row.ByDistance() {
			name, slots, rows = fmt.Sprintf("%s d=%d", row.Sketch, row.Distance), row.Bits, "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%s\t%v\t%s\t%.4f\t%.4f\t%.4f\t%d\t%d\t%d\t%d\t%.4f\t%.4f\t%.2f\t%.0f\t%.0f\t%.1f\t%.3f\t\n",
			row.Shingle, row.Hash, name, slots, row.Bands, rows, row.Threshold, row.Stage, row.Precision, row.Recall, row.F1,
			row.TruePositives, row.FalsePositives, row.FalseNegatives, row.Matches, row.ErrorMean, row.ErrorDeviation,
			row.CandidatesPerDocument, row.CostNanoseconds, row.BytesPerDocument, float64(row.IndexBytes)/1e6, row.Seconds)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return r.writeRest(out)
}

func (r *Report) writeRest(out io.Writer) error {
	for _, s := range r.Skipped {
		if _, err := fmt.Fprintf(out, "not tried: %s: %s\n", s.Setting, s.Why); err != nil {
			return err
		}
	}
	for _, s := range r.Sources {
		if _, err := fmt.Fprintf(out,
			"%s %s: %d documents of %.0f shingles, %d pairs at or above %v, found by an exact join in %.2f s\n",
			s.Shingle, s.Hash, s.Documents, s.Shingles, s.Pairs, s.Floor, s.JoinSeconds); err != nil {
			return err
		}
		if b := s.BruteForce; b != nil {
			if _, err := fmt.Fprintf(out, "  each with each: %d pairs in %.2f s; %d pairs are found by both\n", b.Pairs,
				b.Seconds, b.Both); err != nil {
				return err
			}
		}
	}
	if r.Recommended == nil {
		_, err := fmt.Fprintf(out, "nothing to recommend: %s\n", r.NotRecommended)
		return err
	}
	best := r.Recommended
	_, err := fmt.Fprintf(out, "recommended by %s at %v: %s: precision %.4f, recall %.4f\n", r.By, r.At, best.Setting,
		best.Precision, best.Recall)
	return err
}
