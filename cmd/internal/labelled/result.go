package labelled

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index/eval"
)

// Result is the result of a run of eval. Its JSON is a promise to scripts.
type Result struct {
	Documents int `json:"documents"`
	Rejected  int `json:"rejected"` // rejected documents among them
	Labelled  int `json:"labelled"` // pairs
	Found     int `json:"found"`
	eval.Score
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	ARI       float64 `json:"ari"`
	// pairs found that are not labelled, and labelled pairs that were not found, the most similar first; not all of them
	Positives []Wrong `json:"false_positives"`
	Missed    []Wrong `json:"missed"`
}

// Against compares the pairs found with the known ones. Of what is wrong it lists up to list pairs of each kind.
func (d *Documents) Against(truth []eval.Pair, list int) (Result, error) {
	trial := d.trial()
	found, err := d.pairs(trial, eval.MostCandidates, eval.MostPairs)
	if err != nil {
		return Result{}, err
	}
	documents := len(d.numbers)
	e := Result{
		Documents: documents, Rejected: d.rejected.Rejected(), Labelled: len(truth), Found: len(found),
		Score: eval.Compare(found, truth),
		ARI:   eval.AdjustedRand(rootsOf(found, documents), rootsOf(truth, documents)),
	}
	e.Positives, e.Missed = d.differ(trial, found, truth, list)
	e.Precision, e.Recall, e.F1 = e.Score.Precision(), e.Score.Recall(), e.Score.F1()
	return e, nil
}

// Text returns the result for people, with up to list of the listed pairs of each kind.
func (e Result) Text(list int) string {
	rejected := ""
	if e.Rejected > 0 {
		rejected = fmt.Sprintf(" (%d of them rejected)", e.Rejected)
	}
	summary := fmt.Sprintf("%d documents%s, %d pairs labelled, %d found\nprecision %.4f  recall %.4f  F1 %.4f  ARI %.4f  "+
		"(tp %d, fp %d, fn %d)\n",
		e.Documents, rejected, e.Labelled, e.Found, e.Precision, e.Recall, e.F1, e.ARI, e.TruePositives, e.FalsePositives,
		e.FalseNegatives)
	return summary + listed("found, but not labelled", e.FalsePositives, e.Positives[:min(list, len(e.Positives))]) +
		listed("labelled, but not found", e.FalseNegatives, e.Missed[:min(list, len(e.Missed))])
}

// mostName bounds the columns of an id.
const mostName = 22

// listed returns the pairs of one kind for people, as many as are listed.
func listed(what string, all int, pairs []Wrong) string {
	if len(pairs) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s, the most similar first:\n", what)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, p := range pairs {
		fmt.Fprintf(w, "  %.4f\t%s\t%s\t%s\n", p.Similarity, terminal.Printable(p.A, mostName),
			terminal.Printable(p.B, mostName), p.Why)
	}
	_ = w.Flush() // writes to memory
	if more := all - len(pairs); more > 0 {
		fmt.Fprintf(&b, "  and %s more (--list)\n", terminal.Grouped(more))
	}
	return b.String()
}

func rootsOf(pairs []eval.Pair, documents int) []int {
	c := eval.NewClusters(documents)
	for _, p := range pairs {
		c.Join(p.A, p.B)
	}
	return c.Roots()
}
