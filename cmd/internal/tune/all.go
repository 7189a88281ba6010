package tune

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// WriteAll writes all rows with all figures, those of a setting together, and what is known about each truth.
func (r *Report) WriteAll(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "shingle\thash\tsketch\tslots\tbands\trows\tthreshold\tcurve\tprecision\trecall\tf1\tnear recall\tnear f1\ttp\tfp\tfn\tcut\tcandidates/doc\tcost ns\tbytes/doc\tindex MB\tseconds\t")
	for _, row := range r.Rows {
		name, slots, rows, curve := row.columns()
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%s\t%v\t%s\t%.4f\t%.4f\t%.4f\t%s\t%s\t%d\t%d\t%d\t%d\t%.2f\t%.0f\t%.0f\t%.1f\t%.3f\t\n",
			row.Shingle, row.Hash, name, slots, row.Bands, rows, row.Threshold, curve, row.Precision, row.Recall,
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
			s.Shingle, s.Hash, s.Documents, s.Shingles, s.Pairs, s.Floor, s.Identical, s.JoinSeconds); err != nil {
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
