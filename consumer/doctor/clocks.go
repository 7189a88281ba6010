package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/unecho/unecho/index"
)

// noticeable is the least difference of clocks that is reported. It is longer than a request takes.
const noticeable = 2 * time.Second

// serverClock is a store that has a clock of its own.
type serverClock interface {
	Server(ctx context.Context) (version string, now time.Time, err error)
}

// clocks compares the clocks that can be read without writing anything. The last record of the journal carries the
// appender's time and the broker's: they are compared, and the broker's must not lie in the future.
func (p *patient) clocks(ctx context.Context) (findings []Finding, err error) {
	if s, ok := p.store.(serverClock); ok {
		version, now, err := s.Server(ctx)
		if err != nil {
			return nil, err
		}
		findings = append(findings, fine("PostgreSQL "+version))
		findings = append(findings, p.apart("PostgreSQL's clock", now.Sub(p.now()), "this machine's"))
	}
	if err := p.journalWhole(ctx); err != nil || p.tail == nil || p.tail.end == p.tail.start {
		return findings, err
	}
	r, rec, err := p.journalRecord(ctx, p.tail.end-1)
	if err != nil || r == nil {
		return findings, err
	}
	if ahead := r.Time.Sub(p.now()); ahead > noticeable {
		findings = append(findings, p.apart("the clock of the journal's broker", ahead, "this machine's"))
	}
	if p.in.ProducerTime {
		return append(findings, fine("the broker is in the members' process: they share a clock")), nil
	}
	return append(findings, p.apart("the clock of the journal's broker", r.Time.Sub(time.UnixMilli(wall(rec))),
		"that of the member which appended last")), nil
}

// apart returns the finding about how far two clocks are apart. The difference includes the time of a round trip.
func (p *patient) apart(what string, ahead time.Duration, of string) Finding {
	tolerance := p.in.Index.Window.Tolerance
	text := fmt.Sprintf("%s is %v ahead of %s", what, ahead.Round(time.Millisecond), of)
	const remedy = "synchronise the clocks (NTP) of brokers and members"
	switch size := max(ahead, -ahead); {
	case size > tolerance:
		return problem(text, fmt.Sprintf(
			"that is beyond window.tolerance, %v: times are capped, and documents leave the window too early or too late",
			tolerance), remedy)
	case size > noticeable:
		return note(text, "documents leave the window so much too early or too late", remedy)
	}
	return fine(text)
}

// wall returns the appender's time in a record.
func wall(rec index.Record) int64 {
	switch rec := rec.(type) {
	case *index.Settings:
		return rec.Wall
	case *index.Run:
		return rec.Wall
	case *index.Feed:
		return rec.Wall
	case *index.History:
		return rec.Wall
	case *index.Reposition:
		return rec.Wall
	case *index.Forget:
		return rec.Wall
	case *index.Erase:
		return rec.Wall
	case *index.Mark:
		return rec.Wall
	case *index.Checkpoint:
		return rec.Wall
	case *index.Accusation:
		return rec.Wall
	}
	return 0
}
