package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
)

// noticeable is the least difference of clocks that is reported. It is longer than a request takes.
const noticeable = 2 * time.Second

const synchronise = "synchronise the clocks (NTP) of brokers and members"

// clocks compares the clocks that can be read without writing anything. The last record of the journal carries the
// appender's time and the broker's: they are compared, and the broker's must not lie in the future.
func (p *target) clocks(ctx context.Context) (findings []Finding, err error) {
	if s, ok := p.store.(snapshot.Server); ok {
		name, now, err := s.Server(ctx)
		if err != nil {
			findings = withUnseen(findings, err)
		} else {
			findings = append(findings, fine(name),
				p.apart("the clock of the snapshot store", now.Sub(p.now()), "this machine's"))
		}
	}
	if err := p.journalWhole(ctx); err != nil || p.tail == nil {
		return findings, err
	}
	r, rec, err := p.lastAppended(ctx)
	if err != nil || r == nil {
		return findings, err
	}
	if ahead := r.Time.Sub(p.now()); ahead > noticeable {
		findings = append(findings, p.apart("the clock of the journal's broker", ahead, "this machine's"))
	}
	return append(findings, p.apart("the clock of the journal's broker", r.Time.Sub(time.UnixMilli(rec.Appended())),
		"that of the member which appended last")), nil
}

// lastAppended returns the last record of the journal that says when it was appended; nil: none of the last few does.
func (p *target) lastAppended(ctx context.Context) (*topic.Record, index.Record, error) {
	for at := p.tail.end - 1; at >= max(p.tail.start, p.tail.end-mostStrays); at-- {
		r, rec, err := p.journalRecord(ctx, at)
		if err != nil || r != nil && rec.Appended() > 0 {
			return r, rec, err
		}
	}
	return nil, nil, nil
}

// apart returns the finding about how far two clocks are apart. The difference includes the time of a round trip.
func (p *target) apart(what string, ahead time.Duration, of string) Finding {
	tolerance := p.in.Index.Duplicates.Remember.Tolerance
	text := fmt.Sprintf("%s is %v ahead of %s", what, ahead.Round(time.Millisecond), of)
	switch size := max(ahead, -ahead); {
	case size > tolerance:
		return problem(text, fmt.Sprintf(
			"that is beyond %v: times are capped, and documents leave the window too early or too late",
			tolerance), synchronise)
	case size > noticeable:
		return note(text, "documents leave the window so much too early or too late", synchronise)
	}
	return fine(text)
}
