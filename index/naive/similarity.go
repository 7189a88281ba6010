package naive

import (
	"math"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// verifier returns the function that compares a document with e: by the hash of their texts, else as the settings say. No
// method means that the evidence of one of them could not be read.
func (t *Twin) verifier(e *entry.Entry) func(d *document) (index.Similarity, index.Method) {
	shingles, readable := t.shingles(e)
	return func(d *document) (index.Similarity, index.Method) {
		if d.entry.Content == e.Content {
			return index.Similarity{Num: 1, Den: 1}, index.Identical
		}
		if t.params.Similarity.Verify == "estimate" {
			return t.estimate(&d.entry, e)
		}
		theirs, ok := t.shingles(&d.entry)
		if !ok || !readable {
			t.stats.Unreadable++
			return index.Similarity{}, index.NoMatch
		}
		shared, union := sketch.Jaccard(theirs, shingles)
		return index.Similarity{Num: uint32(shared), Den: uint32(union)}, index.Jaccard
	}
}

// shingles is the set of shingle hashes of an entry's text.
func (t *Twin) shingles(e *entry.Entry) ([]uint64, bool) {
	if e.Kind != entry.Text {
		return nil, false
	}
	normalized, err := entry.DecompressText(nil, e.Evidence)
	if err != nil {
		return nil, false
	}
	return text.Set(t.shingling.AppendHashes(nil, normalized)), true
}

func (t *Twin) estimate(a, b *entry.Entry) (index.Similarity, index.Method) {
	slots, bits := t.params.Similarity.Slots, t.params.Similarity.CodeBits
	if a.Kind != entry.Sketch || b.Kind != entry.Sketch || len(a.Evidence) != len(b.Evidence) {
		t.stats.Unreadable++
		return index.Similarity{}, index.NoMatch
	}
	num, den := sketch.Estimate(sketch.Matches(a.Evidence, b.Evidence, bits), slots, bits)
	return index.Similarity{Num: num, Den: den}, index.Estimate
}

// near compares with the threshold in ten thousandths, in integers, so that every machine agrees.
func (t *Twin) near(s index.Similarity) bool {
	threshold := uint64(math.Round(t.params.Similarity.Threshold * 10000))
	return s.Den > 0 && uint64(s.Num)*10000 >= threshold*uint64(s.Den)
}
