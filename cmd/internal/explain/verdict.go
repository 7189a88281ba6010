package explain

import (
	"fmt"
	"strings"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
)

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
