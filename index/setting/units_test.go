package setting

import (
	"math"
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"0": 0, "1d": day, "7d": 7 * day, "1d12h": 36 * time.Hour, "0d1ms": time.Millisecond, "-5m": -5 * time.Minute,
		"1.5h": 90 * time.Minute, "106751d": 106751 * day,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "d", "1", "1.5d", "-1d", "+1d", "1d-1h", "1d+1h", "1d 1h", "1d1d", "106752d",
		"106751d24h", "99999999999999999999d", "1w",
	} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
}

func TestFormatDuration(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0s": 0, "24h": 24 * time.Hour, "2d": 48 * time.Hour, "36h": 36 * time.Hour, "5m": 5 * time.Minute, "1m": time.Minute,
		"1m30s": 90 * time.Second, "500ms": 500 * time.Millisecond, "1h0m1s": time.Hour + time.Second,
		"10m":   10 * time.Minute,
		"1h10m": 70 * time.Minute, "20h": 20 * time.Hour,
	} {
		if got := FormatDuration(d); got != want {
			t.Errorf("%v is written %s, want %s", d, got, want)
		}
	}
}

func FuzzDuration(f *testing.F) {
	for _, d := range []int64{0, 1, -1, int64(time.Hour), int64(72 * time.Hour), math.MaxInt64, math.MinInt64} {
		f.Add(d)
	}
	f.Fuzz(func(t *testing.T, n int64) {
		d := time.Duration(n)
		if back, err := ParseDuration(FormatDuration(d)); err != nil || back != d {
			t.Errorf("%d is written %s and read %d, %v", n, FormatDuration(d), int64(back), err)
		}
	})
}
