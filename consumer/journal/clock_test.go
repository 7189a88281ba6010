package journal

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// An append lasts from 10:00:00 to 10:00:05 by this machine's clock.
func TestClocksAreCompared(t *testing.T) {
	const began, ended = int64(1_800_000_000_000), int64(1_800_000_005_000)
	for _, c := range []struct {
		stamped   int64
		ahead     time.Duration
		warnings  int
		readFirst bool
	}{
		{began, 0, 0, false},
		{ended, 0, 0, true},
		{began - 20_000, 20 * time.Second, 0, false},
		{began - 7_200_000, 2 * time.Hour, 1, true},
		{ended + 600_000, -10 * time.Minute, 1, false},
	} {
		var said bytes.Buffer
		l := &Log{logger: zerolog.New(&said)}
		if _, known := l.Ahead(); known {
			t.Fatal("a difference is known before the first append")
		}
		if c.readFirst {
			l.Stamped(70, c.stamped)
			l.appended(span{70, began, ended})
		} else {
			l.appended(span{70, began, ended})
			l.Stamped(6, 1) // has the same place among the stamps
			l.Stamped(70, c.stamped)
		}
		if ahead, known := l.Ahead(); ahead != c.ahead || !known {
			t.Errorf("stamped at %d: ahead by %v, %v; want %v", c.stamped, ahead, known, c.ahead)
		}
		l.appended(span{71, began, ended})
		l.Stamped(71, c.stamped)
		if n := strings.Count(said.String(), "clock"); n != c.warnings {
			t.Errorf("stamped at %d: %d warnings, want %d: %s", c.stamped, n, c.warnings, said.String())
		}
	}
}

// A comparison counts for a while, and not where this machine's clock was set since then: also not where it was set back.
func TestComparedLately(t *testing.T) {
	l := &Log{logger: zerolog.Nop()}
	now := time.Now()
	if l.Compared(now, time.Hour) {
		t.Error("clocks are compared before the first append, want that they are not")
	}
	l.appended(span{7, now.UnixMilli(), now.UnixMilli()})
	l.Stamped(7, now.UnixMilli())
	for later, want := range map[time.Duration]bool{0: true, 50 * time.Second: true, 70 * time.Second: false, -2 * time.Hour: false} {
		if got := l.Compared(now.Add(later), time.Minute); got != want {
			t.Errorf("%v later the clocks were compared within a minute: %t, want %t", later, got, want)
		}
	}
}
