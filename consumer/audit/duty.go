package audit

import (
	"fmt"
	"math"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/index/entry"
)

// Where groups take over from each other, each owes a part of the offsets, and the outputs may have those of all. An
// audit of one group leaves out what is another one's. What this group forwarded last before it retired is known from
// its journal to some extent only: what it had committed when it retired, at least. Offsets from there to where it
// takes over again are left out as well. As long as it has not, the group's committed offset is where the other one
// begins.

// away is a part of a stream, the offsets [from, to), that another group forwards, or may have forwarded.
type away struct{ from, to int64 }

// duty follows what the group's routings have it do with a partition.
func (s *stream) duty(d *protocol.Duty, source entry.Source) {
	open := len(s.aways) > 0 && s.aways[len(s.aways)-1].to == math.MaxInt64
	begins, begun := d.Begins(source), d.OtherJournal != "" || len(d.From) > 0
	if s.retired = d.Kind == protocol.Retired; s.retired && len(s.aways) == 0 && begins > 0 {
		s.aways = append(s.aways, away{0, begins}) // it had taken over before the journal's trimmed beginning
	}
	switch {
	case s.retired:
		s.aways = append(s.aways, away{max(begins, d.Saw(source)), math.MaxInt64})
	case d.Kind == protocol.Fills && !open:
		s.aways = append(s.aways, away{0, math.MaxInt64})
	case d.Kind == protocol.Forwards && begun && open: // it takes over, or its window is filled
		s.aways[len(s.aways)-1].to = begins
	case d.Kind == protocol.Forwards && begun:
		s.aways = append(s.aways, away{0, begins})
	case d.Kind == protocol.Forwards && open: // what took over was abandoned
		s.aways = s.aways[:len(s.aways)-1]
	}
}

// isAway says that an offset is another group's, or filled the window. Committed is what this group has committed.
func (s *stream) isAway(offset, committed int64) bool {
	for i, w := range s.aways {
		from := w.from
		if s.retired && i == len(s.aways)-1 && committed < math.MaxInt64 {
			from = max(from, committed)
		}
		if offset >= from && offset < w.to {
			return true
		}
	}
	return false
}

// onDuty notes what a routing has the group do.
func (a *audit) onDuty(text []byte) error {
	d, err := routing.DutyOf(text)
	if err != nil {
		return fmt.Errorf("the journal's routing: %w", err)
	}
	for source, s := range a.bySource {
		s.duty(&d, source)
	}
	return nil
}
