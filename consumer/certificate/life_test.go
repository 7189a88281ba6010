package certificate

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestLife(t *testing.T) {
	begins := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	l := Life{Begins: begins, Ends: begins.Add(100 * time.Hour)}
	for hour, want := range map[float64]struct {
		left float64
		says string
	}{
		-1: {0, "is not valid before 2026-01-01 00:00 UTC"},
		0:  {1, ""}, 66: {0.34, ""}, 90: {0.1, ""},
		90.5: {0.095, "expires on 2026-01-05 04:00 UTC, and less than a tenth"},
		100:  {0, "has expired, on 2026-01-05 04:00 UTC"},
		5000: {0, "has expired"},
	} {
		now := begins.Add(time.Duration(hour * float64(time.Hour)))
		if got := l.Left(now); math.Abs(got-want.left) > 1e-9 {
			t.Errorf("after %v h: want %v left, got %v", hour, want.left, got)
		}
		if got := l.Trouble(now); !strings.HasPrefix(got, want.says) || (got == "") != (want.says == "") {
			t.Errorf("after %v h: want %q, got %q", hour, want.says, got)
		}
	}
}
