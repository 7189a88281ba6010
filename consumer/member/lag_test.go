package member

import (
	"testing"
	"time"
)

// A replica that stands still lags, unless documents are passed on meanwhile. That it had come on before makes no
// difference.
func TestLags(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stays bool
		nexts []int64 // a second after another, from 10 on
		want  time.Duration
	}{
		"comes on":                        {false, []int64{11, 12, 13, 14}, 4 * time.Second},
		"stands still":                    {false, []int64{10, 10, 10, 10}, 4 * time.Second},
		"comes on, and stays":             {true, []int64{11, 12, 13, 14}, 4 * time.Second},
		"stands still, and stays":         {true, []int64{10, 10, 10, 10}, 0},
		"comes on, then stands still":     {true, []int64{11, 11, 11, 11}, time.Second},
		"stands still, then comes on":     {true, []int64{10, 10, 10, 11}, time.Second},
		"comes on and stands still again": {true, []int64{11, 11, 12, 12}, 2 * time.Second},
	} {
		now := time.Now()
		b := behind{end: 100, next: 10, since: now, looked: now}
		var got time.Duration
		for _, next := range c.nexts {
			now = now.Add(time.Second)
			got = b.lags(next, now, c.stays)
		}
		if got != c.want {
			t.Errorf("%s: it lags by %v, want %v", name, got, c.want)
		}
	}
}
