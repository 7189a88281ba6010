package backfills_test

import (
	"testing"
	"time"

	"github.com/unecho/unecho/cmd/internal/backfills"
	"github.com/unecho/unecho/consumer/protocol"
)

// A line has a rate and what is left as soon as they say something. The start is no work, and a first step is no rate.
func TestPaceLine(t *testing.T) {
	start := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	var pace backfills.Pace
	for _, step := range []struct {
		at   time.Duration
		done int64
		want string
	}{
		{0, 100, "news: 10 %; 90 unique, 5 duplicate, 5 rejected"},
		{5 * time.Second, 100, "news: 10 %; 90 unique, 5 duplicate, 5 rejected"},
		{5500 * time.Millisecond, 101, "news: 10 %; 91 unique, 5 duplicate, 5 rejected"},
		{7 * time.Second, 300, "news: 30 %, 100/s, 7s left; 290 unique, 5 duplicate, 5 rejected"},
		{15 * time.Second, 1000, "news: 99 %, 90/s; 990 unique, 5 duplicate, 5 rejected"},
	} {
		s := protocol.Progress{Total: 1000, Done: step.done}
		s.Tally.Unique, s.Tally.Duplicate, s.Tally.Rejected = step.done-10, 5, 5
		pace.See(start.Add(step.at), s)
		if got := pace.Line("news", s); got != step.want {
			t.Errorf("after %v: %s, want %s", step.at, got, step.want)
		}
	}
}
