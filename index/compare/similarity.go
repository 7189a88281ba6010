package compare

// Method says how a match was verified.
type Method uint8

// Methods.
const (
	NoMatch     Method = iota
	Identical          // equal hash of the normalised text
	Jaccard            // over the hashes of shingles
	Estimate           // from the sketches
	Hamming            // the share of equal bits of two SimHashes
	Levenshtein        // the ratio 1 - distance / length of the longer text
	Resent             // the same document came before with the same idempotency key
)

// String is the word in the unecho-method header.
func (m Method) String() string {
	names := [...]string{"none", "identical", "jaccard", "estimate", "hamming", "levenshtein", "resent"}
	if int(m) < len(names) {
		return names[m]
	}
	return "unknown"
}

// Similarity is an exact fraction, so that every replica compares alike.
type Similarity struct {
	Num, Den uint32 // Den > 0
}

// TenThousandths is the similarity in units of 0.0001, rounded down.
func (s Similarity) TenThousandths() int {
	if s.Den == 0 {
		return 0
	}
	return int(uint64(s.Num) * 10000 / uint64(s.Den))
}

// Less compares two fractions exactly.
func (s Similarity) Less(t Similarity) bool {
	return uint64(s.Num)*uint64(t.Den) < uint64(t.Num)*uint64(s.Den)
}

// Scale is the denominator of a threshold, which has four decimals.
const Scale = 10000
