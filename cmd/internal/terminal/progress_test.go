package terminal

import (
	"strings"
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	for _, test := range []struct {
		progress Progress
		want     string
	}{
		{Progress{Documents: 5000, bytes: 3 << 20, size: -1}, "5,000 documents (500/s), 3 MB"},
		{Progress{Documents: 5000, bytes: 25 << 20, size: 100 << 20}, "5,000 documents (500/s), 25 of 100 MB (25 %), 30s left"},
		{Progress{Documents: 5, bytes: 500, size: 700}, "5 documents (0/s), 1 of 1 kB (71 %), 4s left"},
		{Progress{Documents: 5, bytes: 300 << 10, size: 1 << 20}, "5 documents (0/s), 300 of 1024 kB (29 %), 24s left"},
		{Progress{Documents: 5, bytes: 3000, size: 0}, "5 documents (0/s), 2 kB"},
		{Progress{Documents: 1200, Files: 1200, bytes: 100 << 20, size: 100 << 20}, "1,200 files (120/s), 1,200 documents (120/s), 100 of 100 MB (100 %)"},
	} {
		if got := test.progress.line(10 * time.Second); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// On a terminal one line is updated. Elsewhere a line appears at intervals, and at once when waiting begins.
func TestStages(t *testing.T) {
	for _, c := range []struct {
		name     string
		terminal bool
		hidden   bool
		want     string
	}{
		{"lines", false, false, "unecho: waiting\nunecho: reading: 3,000 of 4,000, about 4s left\n"},
		{"terminal", true, false, "\r\x1b[Kwaiting\r\x1b[Kreading: 0 of 4,000\r\x1b[Kreading: 1,000 of 4,000, about 12s left" +
			"\r\x1b[Kreading: 3,000 of 4,000, about 4s left\r\x1b[Kreading: 4,000 of 4,000\r\x1b[K"},
		{"hidden", true, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			now := time.Unix(0, 0)
			p := NewStages(&out)
			p.Hidden, p.now, p.last = c.hidden, func() time.Time { return now }, now
			if c.terminal {
				p.screen = &Screen{out: &out, width: func() int { return 80 }}
			}
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
				p.Stage(step.stage, step.done, step.total)
			}
			p.End()
			if got := out.String(); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}
