package explain

import (
	"fmt"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// decide asks the index itself: a replica judges A and then B.
func (x *Explanation) decide(p index.Params) error {
	v, err := judge(p, x.A.entry, x.B.entry)
	if err != nil {
		return fmt.Errorf("explain: %w", err)
	}
	x.Verdict = "duplicate"
	if v.Unique() {
		x.Verdict, x.Why = "unique", x.whyUnique(p)
	} else {
		x.Method, x.Similarity = v.Match.Method.String(), float64(v.Match.Similarity.TenThousandths())/10000
		x.Why = x.whyDuplicate(p, v.Match.Method)
	}
	x.Flip, err = x.flip(p, v.Unique())
	return err
}

// judge lets a new replica judge both.
func judge(p index.Params, a, b entry.Entry) (index.Verdict, error) {
	settings := []byte("{}") // no other replica compares them
	replica, err := index.NewReplica(p, index.Fingerprint(settings))
	if err != nil {
		return index.Verdict{}, err
	}
	header := index.Header{Fingerprint: index.Fingerprint(settings)}
	run := index.Run{Header: header, Epoch: 1, Entries: []entry.Entry{a, b}}
	run.Entries[0].Offset, run.Entries[1].Offset = 0, 1
	replica.Apply(index.Stamp{}, &index.Settings{Text: settings})
	replica.Apply(index.Stamp{Offset: 1}, &index.Reposition{Header: header, Name: "A", Partitions: 1, Epoch: 1})
	effect := replica.Apply(index.Stamp{Offset: 2}, &run)
	if len(effect.Judged) != 2 {
		return index.Verdict{}, fmt.Errorf("%d of 2 documents were judged", len(effect.Judged))
	}
	return effect.Judged[1], nil
}

// byBits says whether differing bits decide, and not the threshold.
func byBits(p index.Params) bool {
	return p.Similarity.Verify == "estimate" && p.Similarity.EstimatedBy() == index.Hamming
}

func (x *Explanation) whyDuplicate(p index.Params, method index.Method) string {
	candidates := fmt.Sprintf("they are candidates by %d of %d bands", len(x.Sketch.MatchingBands), x.Sketch.Bands)
	switch {
	case method == index.Identical:
		return "the normalised texts are equal"
	case byBits(p):
		return fmt.Sprintf("%s, and %s, at most the distance of %d", candidates, x.agreement.Differ, p.Similarity.Distance)
	}
	return fmt.Sprintf("%s, and %s verifies %.4f, at least the threshold of %v", candidates, x.Method, x.Similarity,
		x.Threshold)
}

func (x *Explanation) whyUnique(p index.Params) string {
	switch {
	case !x.SameScope:
		return "they belong to different scopes (document.scope), and documents are compared within one"
	case x.B.Shingles == 0:
		return "the second has no text to compare: such a document is unique, or rejected as empty"
	case x.A.Shingles == 0:
		return "the first has no text to compare: it is never remembered"
	case len(x.Sketch.MatchingBands) == 0:
		return "they are no candidates: " + x.agreement.Apart
	case byBits(p):
		return fmt.Sprintf("they are candidates by %d of %d bands, but %s, more than the distance of %d",
			len(x.Sketch.MatchingBands), x.Sketch.Bands, x.agreement.Differ, p.Similarity.Distance)
	}
	return fmt.Sprintf("they are candidates by %d of %d bands, but %s finds %.4f, below the threshold of %v",
		len(x.Sketch.MatchingBands), x.Sketch.Bands, p.Similarity.Verify, x.measured(p).Value, x.Threshold)
}

// measured returns what verification compares with the threshold.
func (x *Explanation) measured(p index.Params) Share {
	switch p.Similarity.Verify {
	case "estimate":
		return x.Estimate
	case "levenshtein":
		return x.levenshtein
	}
	return x.Jaccard
}
