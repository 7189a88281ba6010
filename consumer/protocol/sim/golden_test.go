package sim

import (
	"fmt"
	"hash/fnv"
	"testing"
)

// Histories of a live group stay what they are when other kinds of histories are added. Who means to change them
// changes the number as well.
func TestLiveHistoriesStay(t *testing.T) {
	const want = "b647b4198977f385"
	h := fnv.New64a()
	for seed := uint64(1); seed <= 40; seed++ {
		for _, line := range Run(Vary(seed), seed, true).Trace {
			fmt.Fprintln(h, line)
		}
	}
	if got := fmt.Sprintf("%016x", h.Sum64()); got != want {
		t.Errorf("seeds 1 to 40 tell other histories than before: %s, and were %s", got, want)
	}
}
