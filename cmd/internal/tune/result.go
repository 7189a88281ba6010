package tune

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
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

// Wrong is a document about which the settings and the labels do not agree. Its JSON is a promise to scripts.
type Wrong struct {
	A          string  `json:"a"` // that stays, and came before
	B          string  `json:"b"`
	Similarity float64 `json:"similarity"` // as the service measures it
	Why        string  `json:"why"`

	a, b int // numbers of the documents
}

// wrongs keeps the most similar of many pairs, of equally similar ones the first.
type wrongs struct {
	most int
	kept []Wrong
}

func (w *wrongs) add(x Wrong) {
	at, _ := slices.BinarySearchFunc(w.kept, x, func(y, x Wrong) int {
		if y.Similarity >= x.Similarity {
			return -1
		}
		return 1
	})
	if at == w.most {
		return
	}
	if len(w.kept) == w.most {
		w.kept = w.kept[:w.most-1]
	}
	w.kept = slices.Insert(w.kept, at, x)
}

type judged struct {
	*Documents
	verdicts  []index.Verdict
	standings []eval.Standing
	most      int // of each kind that are listed
}

// positives lists duplicates of what they are not labelled with, the most similar first.
func (j judged) positives() []Wrong {
	list := wrongs{most: j.most, kept: []Wrong{}}
	for i := range j.verdicts {
		if s, v := j.standings[i], &j.verdicts[i]; s.Left && !s.Right {
			list.add(Wrong{Similarity: value(v.Match.Similarity), Why: "not labelled", a: v.CopyOf(), b: i})
		}
	}
	return j.named(list.kept)
}

// missed lists documents that should have left, each with the most similar of those that stay and are labelled with it,
// the most similar first. Levenshtein ratios take long: of many, those of the highest Jaccard similarity are listed.
func (j judged) missed(truth []eval.Pair, known []int) ([]Wrong, error) {
	if j.most == 0 {
		return []Wrong{}, nil
	}
	verify := j.judge.Duplicates.Verify
	if verify == "levenshtein" {
		verify = "jaccard"
	}
	rank, err := j.measure(verify)
	if err != nil {
		return nil, err
	}
	nearest := map[int]Wrong{}
	for _, p := range truth {
		if s := j.standings[p.B]; s.Right || !s.Due || j.standings[p.A].Left {
			continue
		}
		similarity := rank(p.A, p.B)
		if w, met := nearest[p.B]; !met || similarity > w.Similarity {
			nearest[p.B] = Wrong{Similarity: similarity, a: p.A, b: p.B}
		}
	}
	list, first := wrongs{most: j.most, kept: []Wrong{}}, map[int]int{}
	for i, s := range j.standings {
		w, met := nearest[i]
		if !met && s.Due && !s.Right { // others connect them
			w, met = Wrong{Similarity: rank(first[known[i]], i), a: first[known[i]], b: i}, true
		}
		if met {
			list.add(w)
		}
		if _, stays := first[known[i]]; !stays && !s.Left {
			first[known[i]] = i
		}
	}
	return j.explained(list.kept)
}

// explained sets why documents were missed, and how similar they are.
func (j judged) explained(missed []Wrong) ([]Wrong, error) {
	measure, err := j.measure(j.judge.Duplicates.Verify)
	if err != nil {
		return nil, err
	}
	compare, err := index.NewComparer(j.judge)
	if err != nil {
		return nil, err
	}
	for i := range missed {
		w := &missed[i]
		w.Similarity, w.Why = measure(w.a, w.b), j.why(w, compare)
	}
	slices.SortStableFunc(missed, func(x, y Wrong) int { return cmp.Compare(y.Similarity, x.Similarity) })
	return j.named(missed), nil
}

func (j judged) why(w *Wrong, comparer *compare.Comparer) string {
	a, b := &j.entries[w.a], &j.entries[w.b]
	comparer.Begin(a)
	_, _, similar := comparer.Compare(b)
	switch {
	case a.Empty() || b.Empty():
		return "nothing to compare"
	case a.Scope != b.Scope:
		return "of different scopes"
	case j.standings[w.b].Left:
		return "left for another"
	case !similar:
		return "not similar enough"
	case !entry.ShareBand(a.Keys, b.Keys):
		return "they share no band"
	case !j.verdicts[w.b].Cut:
		return "others share their bands too"
	}
	return "left out by a bound"
}

// named sets the names of documents.
func (j judged) named(all []Wrong) []Wrong {
	for i := range all {
		all[i].A, all[i].B = j.numbers.called(j.refs[all[i].a]), j.numbers.called(j.refs[all[i].b])
	}
	return all
}

// measure returns the function that measures similarity by a word of duplicates.verify, whatever the threshold and the
// scopes; documents without text are similar to none.
func (d *Documents) measure(verify string) (func(a, b int) float64, error) {
	p := d.judge
	s := &p.Duplicates
	s.Signed = index.Signed{Threshold: s.Threshold, Verify: s.Verify}
	s.Threshold, s.Verify = 1e-4, verify // a pair below the threshold may be measured too low
	c, err := index.NewComparer(p)
	return func(a, b int) float64 {
		x, y := d.entries[a], d.entries[b]
		if x.Empty() || y.Empty() {
			return 0
		}
		y.Scope = x.Scope
		c.Begin(&x)
		similarity, _, _ := c.Compare(&y)
		return value(similarity)
	}, err
}

func value(s compare.Similarity) float64 { return float64(s.Num) / float64(max(1, s.Den)) }
