package explain

import "testing"

// Two names, of one shingle each, of which the hashes have their upper 20 bits in common: what verifies says of them what
// the shingles say.
func TestShortTextsAreVerifiedAsTheyAre(t *testing.T) {
	x := explained(t, params(t, "duplicates.method=simhash"), "user564", "user866")
	if x.Verdict != "unique" || x.Jaccard.Part != 0 {
		t.Errorf("user564 and user866 are %s with %v shingles shared: %s; want unique, with none shared", x.Verdict, x.Jaccard.Part, x.Why)
	}
}
