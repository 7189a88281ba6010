package memory

import "testing"

func TestGCPercent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		index int64
		want  int
	}{{0, 100}, {garbageBytes, 100}, {garbageBytes + 1, 99}, {1 << 30, 25}, {4 << 30, 10}, {1 << 40, 10}} {
		if got := gcPercent(c.index); got != c.want {
			t.Errorf("%d bytes: %d, want %d", c.index, got, c.want)
		}
	}
}
