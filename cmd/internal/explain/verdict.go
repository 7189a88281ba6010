package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/text"
)

// judge judges documents in their order, as `unecho dedup` does.
type judge struct {
	series *index.Series
	next   int64
}

// Judged is what became of a document among those before it.
type Judged struct {
	index.Verdict
	Name   string
	Bounds []string // settings that left out documents of which it may be a copy
}

// kept says whether later documents are compared with it.
func (j *Judged) kept(p index.Params) bool { return j.Unique() || p.Duplicates.CompareCopies }

func newJudge(p index.Params) (*judge, error) {
	series, err := index.NewSeries(p, 0, nil)
	return &judge{series: series}, err
}

func (j *judge) add(name string, e entry.Entry) (Judged, error) {
	e.Offset, e.ID = j.next, []byte(name)
	j.next++
	before := j.series.Replica().Stats().Cuts
	verdicts, err := j.series.Judge([]entry.Entry{e})
	if err != nil {
		return Judged{}, err
	}
	return Judged{verdicts[0], name, j.series.Replica().Stats().Cuts.Since(before).Hit()}, nil
}

// alone judges two documents, of which nothing came before.
func alone(p index.Params, a, b entry.Entry) (both [2]Judged, err error) {
	j, err := newJudge(p)
	if err != nil {
		return both, err
	}
	if both[0], err = j.add("A", a); err == nil {
		both[1], err = j.add("B", b)
	}
	return both, err
}

// decide asks the index itself: it judges A and then B, or has judged them among the documents of their file.
func (x *Explanation) decide(p index.Params) error {
	both, err := alone(p, x.A.entry, x.B.entry)
	if err != nil {
		return fmt.Errorf("explain: %w", err)
	}
	without := both[1].Unique()
	if x.A.input.Judged != nil && x.B.input.Judged != nil {
		both = [2]Judged{*x.A.input.Judged, *x.B.input.Judged}
	}
	if err := x.verdict(p, &both[0], &both[1]); err != nil {
		return fmt.Errorf("explain: %w", err)
	}
	if x.Match == "" && both[1].Unique() == without { // else it hangs on other documents
		x.Flip, err = x.flip(p, without)
	}
	return err
}

func (x *Explanation) verdict(p index.Params, a, b *Judged) error {
	if x.Cut = b.Cut; b.Unique() {
		missed, err := x.missed(p, a)
		x.Verdict, x.Why = "unique", x.whyUnique(p, a, b, missed)
		return err
	}
	m := &b.Match
	x.Verdict, x.Method, x.Similarity = "duplicate", m.Method.String(), float64(m.Similarity.TenThousandths())/10000
	if m.Offset == a.Offset {
		x.Why = x.whyDuplicate(p, m.Method)
		return nil
	}
	x.Match = m.ID
	x.Why = fmt.Sprintf("it is a copy of %s, not of A: %s verifies %.4f", terminal.Printable(m.ID, terminal.LongLine), x.Method,
		x.Similarity)
	if a.Matched() && a.Match.Offset == m.Offset {
		x.Why = strings.Replace(x.Why, ", not of A:", ", as A is:", 1)
	}
	return nil
}

// missed says whether A is similar enough and shares a band, so that it was not compared.
func (x *Explanation) missed(p index.Params, a *Judged) (bool, error) {
	if len(x.Sketch.MatchingBands) == 0 || !a.kept(p) {
		return false, nil
	}
	c, err := index.NewComparer(p)
	if err != nil {
		return false, err
	}
	c.Begin(&x.B.entry)
	_, _, similar := c.Compare(&x.A.entry)
	return similar, nil
}

// byBits says whether differing bits decide, and not the threshold.
func byBits(p index.Params) bool {
	return p.Duplicates.Verify == "estimate" && p.Duplicates.EstimatedBy() == compare.Hamming
}

func (x *Explanation) whyDuplicate(p index.Params, method compare.Method) string {
	candidates := fmt.Sprintf("they are candidates by %d of %d bands", len(x.Sketch.MatchingBands), x.Sketch.Bands)
	switch {
	case method == compare.Identical:
		return "the normalised texts are equal"
	case byBits(p):
		return fmt.Sprintf("%s, and %s, at most the distance of %d", candidates, x.agreement.Differ, p.Duplicates.Distance)
	}
	return fmt.Sprintf("%s, and %s verifies %.4f, at least the threshold of %v", candidates, x.Method, x.Similarity,
		x.Threshold)
}

func (x *Explanation) whyUnique(p index.Params, a, b *Judged, missed bool) string {
	switch {
	case !x.SameScope:
		return "they belong to different scopes (sources.scope), and documents are compared within one"
	case x.B.Shingles == 0:
		return "the second has no text to compare: such a document is unique, or rejected as empty"
	case x.A.Shingles == 0:
		return "the first has no text to compare: it is never remembered"
	case !a.kept(p):
		return fmt.Sprintf("the first left as a copy of %s, and what left is not compared with",
			terminal.Printable(a.Match.ID, terminal.LongLine))
	case len(x.Sketch.MatchingBands) == 0:
		return "they are no candidates: " + x.agreement.Apart
	case missed && b.Cut:
		return fmt.Sprintf("a cut decided: they are candidates by %d of %d bands and similar enough, but were not compared, "+
			"because that is bounded; %s", len(x.Sketch.MatchingBands), x.Sketch.Bands, terminal.Raise(b.Bounds))
	case missed:
		return fmt.Sprintf("they are similar enough and share %d of %d bands, but were not compared: too many documents have "+
			"these bands, and the two have no rarer pair of shingles in common; or, once in a thousand times, their digests "+
			"say otherwise", len(x.Sketch.MatchingBands), x.Sketch.Bands)
	case byBits(p):
		return fmt.Sprintf("they are candidates by %d of %d bands, but %s, more than the distance of %d",
			len(x.Sketch.MatchingBands), x.Sketch.Bands, x.agreement.Differ, p.Duplicates.Distance)
	}
	return fmt.Sprintf("they are candidates by %d of %d bands, but %s finds %.4f, below the threshold of %v",
		len(x.Sketch.MatchingBands), x.Sketch.Bands, p.Duplicates.Verify, x.measured(p).Value, x.Threshold)
}

// measured returns what verification compares with the threshold.
func (x *Explanation) measured(p index.Params) Share {
	switch p.Duplicates.Verify {
	case "estimate":
		return x.Estimate
	case "levenshtein":
		return x.levenshtein
	}
	return x.Jaccard
}

// try is a setting that might change the verdict.
type try struct {
	name  string
	value any
	with  index.Params
}

// flip finds the nearest setting that changes the verdict. It tries the threshold that the similarity just reaches, or
// just misses, with the bands planned for it; then ever lower thresholds; for sketches by distance the distance; then
// shorter or longer shingles, or without a list of what is ignored.
func (x *Explanation) flip(p index.Params, unique bool) (string, error) {
	if !x.SameScope {
		return x.unscoped(p)
	}
	if x.A.Shingles == 0 || x.B.Shingles == 0 || x.A.Normalized == x.B.Normalized {
		return "", nil
	}
	others := shingles(p, unique)
	if p.Duplicates.Ignored.Len() > 0 { // a list serves for one shingle
		others = []try{counting(p)}
	}
	for _, t := range slices.Concat(x.thresholds(p, unique), x.distances(p, unique), others) {
		if len(t.with.Validate()) > 0 {
			continue
		}
		otherwise, err := decides(t.with, x.A.input, x.B.input, !unique)
		if err != nil {
			return "", err
		}
		if otherwise {
			return fmt.Sprintf("%s: %v", t.name, t.value), nil
		}
	}
	return "", nil
}

// counting tries to have all text count.
func counting(p index.Params) try {
	p.Duplicates.Ignore, p.Duplicates.Ignored = "", text.Ignored{}
	return try{"duplicates.ignore", `""`, p}
}

// unscoped tries to compare documents of all scopes, if only the scopes separate these two.
func (x *Explanation) unscoped(p index.Params) (string, error) {
	duplicate, err := decides(p, Input{Text: x.A.input.Text}, Input{Text: x.B.input.Text}, false)
	if err != nil || !duplicate {
		return "", err
	}
	return `sources.scope: ""`, nil
}

// decides says whether the index decides that way under other settings.
func decides(p index.Params, first, second Input, unique bool) (bool, error) {
	r, err := newReader(p)
	if err != nil {
		return false, err
	}
	var a, b Document
	if err := cmp.Or(r.read(&a, first), r.read(&b, second)); err != nil {
		return false, err
	}
	both, err := alone(p, a.entry, b.entry)
	return both[1].Unique() == unique, err
}

// grain is the step of thresholds: they have four decimals.
const grain = 10000

func (x *Explanation) thresholds(p index.Params, unique bool) []try {
	if byBits(p) {
		return nil // it decides nothing
	}
	measured := x.measured(p).tenThousandths()
	if !unique {
		return []try{withThreshold(p, measured+1)}
	}
	var tries []try
	for t := min(measured, int(math.Round(p.Duplicates.Threshold*grain))); t > 0; t -= grain / 20 {
		tries = append(tries, withThreshold(p, t))
	}
	return tries
}

func withThreshold(p index.Params, t int) try {
	p.Duplicates.Threshold = float64(t) / grain
	return try{"duplicates.threshold", p.Duplicates.Threshold, p}
}

// distances tries those that the sketches just reach, or just miss. Validation refuses distances that blocks cannot
// find.
func (x *Explanation) distances(p index.Params, unique bool) []try {
	to := x.Sketch.Hamming
	if !unique {
		to--
	}
	if x.Sketch.Bits == 0 || to < 0 {
		return nil // there is no distance, or none less
	}
	p.Duplicates.Distance = to
	return []try{{"duplicates.distance", to, p}}
}

func shingles(p index.Params, unique bool) []try {
	unit, number, _ := strings.Cut(p.Duplicates.Shingle, ":")
	var size int
	if _, err := fmt.Sscan(number, &size); err != nil {
		return nil // no size to change
	}
	by := 1 // longer shingles set documents apart
	if unique {
		by = -1
	}
	var tries []try
	for range 3 {
		size += by
		p.Duplicates.Shingle = fmt.Sprintf("%s:%d", unit, size)
		tries = append(tries, try{"duplicates.shingle", p.Duplicates.Shingle, p})
	}
	return tries
}
