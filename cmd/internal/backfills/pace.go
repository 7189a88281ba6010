package backfills

import (
	"fmt"
	"time"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/protocol"
)

// paceOver is the period over which the rate is measured: long enough to be steady, short enough to show a change.
const paceOver = 30 * time.Second

// Pace measures how fast a backfill is, all its processes together.
type Pace struct {
	seen []sample // those of the last period, and one before it
}

type sample struct {
	at              time.Time
	done, documents int64
}

// measured is the shortest time over which a rate says something. Before that, one transaction more or less decides it.
const measured = 2 * time.Second

// See takes note of how far the backfill is. The rate counts from the first step, because a start is no work.
func (p *Pace) See(now time.Time, s protocol.Progress) {
	if len(p.seen) == 1 && p.seen[0].done == s.Done {
		p.seen = p.seen[:0]
	}
	p.seen = append(p.seen, sample{now, s.Done, s.Tally.Documents()})
	for len(p.seen) > 2 && now.Sub(p.seen[1].at) >= paceOver {
		p.seen = p.seen[1:]
	}
}

// over returns what was done over the last period, or nothing if that was too short.
func (p *Pace) over() (done, documents int64, took time.Duration) {
	if len(p.seen) < 2 {
		return 0, 0, 0
	}
	first, last := p.seen[0], p.seen[len(p.seen)-1]
	if last.at.Sub(first.at) < measured {
		return 0, 0, 0
	}
	return last.done - first.done, last.documents - first.documents, last.at.Sub(first.at)
}

// Rate returns documents a second.
func (p *Pace) Rate() float64 {
	_, documents, took := p.over()
	if took <= 0 {
		return 0
	}
	return float64(documents) / took.Seconds()
}

// Left returns how long the rest takes at this pace. ok is false if nobody knows.
func (p *Pace) Left(s protocol.Progress) (left time.Duration, ok bool) {
	done, _, took := p.over()
	if done <= 0 || took <= 0 {
		return 0, false
	}
	return time.Duration(float64(took) / float64(done) * float64(s.Total-s.Done)).Round(time.Second), true
}

// Line is one line about a backfill at work.
func (p *Pace) Line(name string, s protocol.Progress) string {
	return p.share(name, s) + fmt.Sprintf("; %s unique, %s duplicate, %s rejected",
		terminal.Grouped(int(s.Tally.Unique+s.Tally.Reemitted)), terminal.Grouped(int(s.Tally.Duplicate)),
		terminal.Grouped(int(s.Tally.Rejected)))
}

// FillLine is one line about a fill at work.
func (p *Pace) FillLine(group string, s *consumer.Fill) string {
	return p.share(group, s.Progress) + fmt.Sprintf("; %s remembered, %s passed over, %s rejected",
		terminal.Grouped(int(s.Kept)), terminal.Grouped(int(s.Skipped())), terminal.Grouped(int(s.Rejected)))
}

func (p *Pace) share(name string, s protocol.Progress) string {
	text := name + ": " + Share(s)
	if rate := p.Rate(); rate > 0 {
		text += fmt.Sprintf(", %s/s", terminal.Grouped(int(rate)))
	}
	if left, ok := p.Left(s); ok && s.Done < s.Total {
		text += fmt.Sprintf(", %v left", left)
	}
	return text
}

// Share is how much is done, in percent. Only all of it is 100.
func Share(s protocol.Progress) string {
	if s.Finished || s.Total == 0 {
		return "100 %"
	}
	return fmt.Sprintf("%d %%", min(99, 100*s.Done/s.Total))
}
