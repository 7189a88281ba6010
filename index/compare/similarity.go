package compare

import "github.com/unecho/unecho/index/sketch"

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

// Parts returns what a similarity by this method is made of: part of a whole is shared. missing is how many more would
// have to be for it to be least. The parts of Estimate are slots.
func (s Similarity) Parts(m Method, least Similarity) (part, whole, missing uint32) {
	need := int((uint64(least.Num)*uint64(s.Den) + uint64(least.Den) - 1) / uint64(least.Den))
	part, whole = s.Num, s.Den
	switch m { //nolint:exhaustive // others count what differs as parts of their own
	case Jaccard: // a shingle more that is shared is one less in the union
		need = neededShingles(int(part+whole), least)
	case Estimate:
		slots := s.Den / (1<<sketch.CodeBits - 1) // see sketch.Estimate
		need = int((uint32(need) + slots + 1<<sketch.CodeBits - 1) >> sketch.CodeBits)
		part, whole = (s.Num+slots)>>sketch.CodeBits, slots
	}
	return part, whole, uint32(max(0, need-int(part)))
}

// neededShingles returns the least number of shared shingles with which two lists of both shingles in total are similar
// enough: shared / (both - shared) >= num / den.
func neededShingles(both int, least Similarity) int {
	num, den := uint64(least.Num), uint64(least.Den)
	return max(1, int((num*uint64(both)+num+den-1)/(num+den)))
}

// Scale is the denominator of a threshold, which has four decimals.
const Scale = 10000
