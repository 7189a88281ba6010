package journal

import "testing"

// With three replicas an append that one broker alone has taken does not count.
func TestMinInsync(t *testing.T) {
	for replicas, want := range map[int]int{-1: 0, 1: 0, 2: 0, 3: 2, 5: 2} {
		if got := MinInsync(replicas); got != want {
			t.Errorf("with %d replicas: %d, want %d", replicas, got, want)
		}
	}
}
