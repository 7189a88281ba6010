package main

import (
	"strings"
	"testing"
	"time"
)

// What changes on a terminal is one line; elsewhere it is a line now and then, and at once where others are waited for.
func TestStages(t *testing.T) {
	for _, c := range []struct {
		name string
		live bool
		want string
	}{
		{"lines", false, "waiting\nreading: 3,000 of 4,000, about 4s left\n"},
		{"terminal", true, "\r\x1b[Kwaiting\r\x1b[Kreading: 0 of 4,000\r\x1b[Kreading: 1,000 of 4,000, about 12s left\r\x1b[Kreading: 3,000 of 4,000, about 4s left" +
			"\r\x1b[Kreading: 4,000 of 4,000\r\x1b[K"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			now := time.Unix(0, 0)
			p := newStages(&out)
			p.live, p.now, p.shown = c.live, func() time.Time { return now }, now
			for _, step := range []struct {
				after       time.Duration
				stage       string
				done, total int64
			}{
				{time.Millisecond, "waiting", 0, 0},
				{time.Millisecond, "waiting", 0, 0},
				{time.Second, "reading", 0, 4000},
				{4 * time.Second, "reading", 1000, 4000},
				{time.Millisecond, "reading", 1001, 4000},
				{8 * time.Second, "reading", 3000, 4000},
				{time.Second, "reading", 4000, 4000},
			} {
				now = now.Add(step.after)
				p.at(step.stage, step.done, step.total)
			}
			p.end()
			if got := out.String(); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}
