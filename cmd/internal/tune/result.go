package tune

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/eval"
)

// Result is the result of a run of eval. It counts documents. Its JSON is a promise to scripts.
type Result struct {
	Documents int `json:"documents"`
	Rejected  int `json:"rejected"` // rejected documents among them
	Labelled  int `json:"labelled"` // pairs
	Duplicate int `json:"duplicate"`
	eval.Score
	Precision float64  `json:"precision"`
	Recall    float64  `json:"recall"`
	F1        float64  `json:"f1"`
	ARI       float64  `json:"ari"`
	UniqueCut uint64   `json:"unique_cut"`       // unique documents that were not compared with all candidates
	Bounds    []string `json:"bounds,omitempty"` // settings that left candidates out, such as max_work
	// duplicates with what they are taken for, which no label says, and documents that are labelled with one before and
	// are no duplicate of it, the most similar first; not all of them
	Positives []Wrong `json:"false_positives"`
	Missed    []Wrong `json:"missed"`

	texts int // listed documents of each kind, for people
}

// Against judges the documents in their order, and holds the verdicts against the known pairs: what pairs connect is
// the same. Of what is wrong it lists up to list of each kind.
func (d *Documents) Against(truth []eval.Pair, list int) (Result, error) {
	verdicts, stats, err := index.JudgeAll(d.judge, d.entries)
	if err != nil {
		return Result{}, err
	}
	copies, clusters := eval.Copies{}, eval.NewClusters(len(verdicts))
	for i := range verdicts {
		copies = append(copies, verdicts[i].CopyOf())
	}
	for _, p := range truth {
		clusters.Join(p.A, p.B)
	}
	known := clusters.Roots()
	standings := copies.ByClusters(known)
	e := Result{
		Documents: len(d.refs), Rejected: d.rejected.Rejected(), Labelled: len(truth), UniqueCut: stats.UniqueCut, Bounds: stats.Cuts.Hit(),
		Score: eval.Count(standings), ARI: eval.AdjustedRand(copies.Roots(), known),
	}
	e.Duplicate = e.TruePositives + e.FalsePositives
	e.Precision, e.Recall, e.F1 = e.Score.Precision(), e.Score.Recall(), e.Score.F1()
	j := judged{d, verdicts, standings, list}
	e.Positives = j.positives()
	e.Missed, err = j.missed(truth, known)
	return e, err
}

// Text returns the result for people, with up to e.texts of the listed documents of each kind.
func (e Result) Text() string {
	rejected, cut := "", ""
	if e.Rejected > 0 {
		rejected = fmt.Sprintf(" (%d of them rejected)", e.Rejected)
	}
	if e.UniqueCut > 0 {
		cut = fmt.Sprintf("not compared with all candidates: %s; %s\n", terminal.Several(int(e.UniqueCut), "unique document"),
			terminal.Raise(e.Bounds))
	}
	summary := fmt.Sprintf("%d documents%s, %d pairs labelled, %s\nprecision %.4f  recall %.4f  F1 %.4f  ARI %.4f  "+
		"(tp %d, fp %d, fn %d)\n",
		e.Documents, rejected, e.Labelled, terminal.Several(e.Duplicate, "duplicate"), e.Precision, e.Recall, e.F1, e.ARI,
		e.TruePositives, e.FalsePositives, e.FalseNegatives)
	return summary + cut + listed("duplicate, but not labelled", e.FalsePositives, e.Positives[:min(e.texts, len(e.Positives))]) +
		listed("labelled, but no duplicate", e.FalseNegatives, e.Missed[:min(e.texts, len(e.Missed))])
}

const mostName = 22

// listed returns the documents of one kind for people, as many as are listed.
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
