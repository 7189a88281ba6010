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

// TestFilesPercent: a small index has more garbage beside it than by Go's default, a large one as much as that of a
// service.
func TestFilesPercent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		index, live int64
		want        int
	}{
		{0, 0, 400},
		{4 << 20, 4 << 20, 400},
		{8 << 20, 8 << 20, 200},
		{smallGarbage, smallGarbage, 100},
		{garbageBytes, garbageBytes, 100},
		{1 << 30, 1 << 30, 25},
		{1 << 40, 1 << 40, 10},
		{1 << 20, 500 << 20, 100}, // few documents, and large ones
	} {
		if got := filesPercent(c.index, c.live); got != c.want {
			t.Errorf("%d bytes of %d: %d, want %d", c.index, c.live, got, c.want)
		}
	}
}
