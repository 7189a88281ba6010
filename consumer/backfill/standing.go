package backfill

import (
	"github.com/unecho/unecho/consumer/protocol"
)

// Standing is how far a job is, by what its group has committed.
type Standing struct {
	Finished bool
	Done     int64 // offsets of the ranges that are behind the group
	Total    int64 // offsets of the ranges. Some may have no document: markers of transactions, and what was compacted away
	Tally    protocol.Tally
}

// Standing returns how far the job is. It has to have a plan.
func (s *State) Standing() Standing {
	out := Standing{Finished: true, Total: s.Plan.Documents()}
	for _, r := range s.Plan.Ranges {
		if r.From == r.To {
			continue
		}
		at, known := s.Offsets.Lookup(r.Topic, r.Source.Partition)
		if !known || at.At < 0 {
			out.Finished = false
			continue
		}
		out.Tally.Add(protocol.NewCommitted(at.At, at.Metadata).Tally)
		out.Done += min(max(at.At, r.From), r.To) - r.From
		out.Finished = out.Finished && at.At >= r.To
	}
	return out
}
