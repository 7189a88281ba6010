package compare

import (
	"testing"

	"github.com/unecho/unecho/index/sketch"
)

// TestParts: what is missing is as much as makes a duplicate, and no more.
func TestParts(t *testing.T) {
	for _, least := range []Similarity{{8000, Scale}, {5001, Scale}, {61, 64}, {1, 1}} {
		for whole := uint32(1); whole < 200; whole++ {
			for part := range whole {
				for method, alike := range map[Method]func(part uint32) Similarity{
					Jaccard:     func(n uint32) Similarity { return Similarity{n, whole + part - n} },
					Hamming:     func(n uint32) Similarity { return Similarity{n, whole} },
					Levenshtein: func(n uint32) Similarity { return Similarity{n, whole} },
					Estimate: func(n uint32) (s Similarity) {
						s.Num, s.Den = sketch.Estimate(int(n), int(whole))
						return s
					},
				} {
					s := alike(part)
					if s.Num == 0 {
						continue // it may be less than nothing
					}
					own, of, missing := s.Parts(method, least)
					if own != part || of != whole || alike(part+missing).Less(least) ||
						missing > 0 && !alike(part+missing-1).Less(least) {
						t.Fatalf("%v of %v by %v: %d of %d, %d missing for %v", part, whole, method, own, of, missing, least)
					}
				}
			}
		}
	}
}
