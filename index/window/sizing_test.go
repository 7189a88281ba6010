package window

import (
	"math"
	"testing"
)

// TestBlocksReckoned: a window has as many blocks as are reckoned, on average over the time in which the largest one is made,
// and no larger ones.
func TestBlocksReckoned(t *testing.T) {
	for _, size := range []Sizes{{Run: 4, Merge: 2, Parts: 3, Tail: 2}, {Run: 2, Merge: 4, Parts: 2, Tail: 1}, usualSizes()} {
		for _, segments := range []int{50, 200, 1100} {
			s := newShelved(t, 6, 1, 1000, uint64(segments))
			h := s.w.Files()
			h.BlocksOf(size)
			s.insert(segments)
			s.cover()
			want, largest, _ := size.blocks(segments)
			sum, most := 0, 0
			for range 2 * largest {
				s.insert(1)
				s.cover()
				sum += len(h.Blocks())
				for _, b := range h.Blocks() {
					most = max(most, len(b.Names()))
				}
			}
			mean := float64(sum) / float64(2*largest)
			t.Logf("%+v: %d segments have %.1f blocks, of up to %d; %.1f of %d reckoned", size, segments, mean, most, want, largest)
			if math.Abs(mean-want) > 0.1*mean+0.6 || most != largest {
				t.Errorf("%+v: %d segments have %.1f blocks, of up to %d; %.1f of %d reckoned", size, segments, mean, most, want, largest)
			}
		}
	}
}
