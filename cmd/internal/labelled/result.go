package labelled

import (
	"fmt"

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
}

// Against compares the pairs found with the known ones.
func (d *Documents) Against(truth []eval.Pair) (Result, error) {
	found, err := d.pairs(eval.MostCandidates, eval.MostPairs)
	if err != nil {
		return Result{}, err
	}
	documents := len(d.numbers)
	e := Result{
		Documents: documents, Rejected: d.rejected.Rejected(), Labelled: len(truth), Found: len(found),
		Score: eval.Compare(found, truth),
		ARI:   eval.AdjustedRand(rootsOf(found, documents), rootsOf(truth, documents)),
	}
	e.Precision, e.Recall, e.F1 = e.Score.Precision(), e.Score.Recall(), e.Score.F1()
	return e, nil
}

// String returns the result for people.
func (e Result) String() string {
	rejected := ""
	if e.Rejected > 0 {
		rejected = fmt.Sprintf(" (%d of them rejected)", e.Rejected)
	}
	return fmt.Sprintf("%d documents%s, %d pairs labelled, %d found\nprecision %.4f  recall %.4f  F1 %.4f  ARI %.4f  "+
		"(tp %d, fp %d, fn %d)\n",
		e.Documents, rejected, e.Labelled, e.Found, e.Precision, e.Recall, e.F1, e.ARI, e.TruePositives, e.FalsePositives,
		e.FalseNegatives)
}

func rootsOf(pairs []eval.Pair, documents int) []int {
	c := eval.NewClusters(documents)
	for _, p := range pairs {
		c.Join(p.A, p.B)
	}
	return c.Roots()
}
