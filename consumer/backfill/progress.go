package backfill

import "github.com/unecho/unecho/consumer/protocol"

// Progress returns how far the job is, by what its group has committed. The job has a plan.
func (s *State) Progress() protocol.Progress {
	return s.Plan.Progress(func(r protocol.Range) protocol.Committed {
		at, known := s.Offsets.Lookup(r.Topic, r.Source.Partition)
		if !known {
			return protocol.Committed{Offset: -1}
		}
		return protocol.NewCommitted(at.At, at.Metadata)
	})
}
