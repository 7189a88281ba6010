package feeding

import (
	"math"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// A priming is fed like a backfill, with three differences: the records are those of history, nobody waits for
// verdicts, and documents that were deleted meanwhile are passed over, because history begins with what is left.

// HistoryOf returns the record of a priming for what a merge has sealed. It shares the entries. rejected is what the
// merge says of the parts.
func HistoryOf(plan *protocol.Plan, number uint32, f *index.Feed, rejected []uint64) *index.History {
	h := &index.History{Header: f.Header, Number: number, First: f.First, Entries: f.Entries}
	for i := range f.Parts {
		p := &f.Parts[i]
		r, _ := plan.Of(p.Source)
		h.Parts = append(h.Parts, index.HistoryPart{
			Source: p.Source, Name: r.Topic, From: p.From, Through: p.Through,
			Rejected: rejected[i],
		})
	}
	return h
}

// PrimedState returns how far a replica says that the ranges of a priming are brought. It is false if another priming
// is in force. Left is to be added.
func PrimedState(plan *protocol.Plan, number uint32, r *index.Replica) (now State, inForce bool) {
	p := r.Primed()
	now.Entries = p.Entries
	for _, of := range plan.Ranges {
		part := r.PrimedPart(of.Source)
		now.Parts = append(now.Parts, index.FeedPart{Source: of.Source, Through: part.Through})
		now.Places, now.Rejected = append(now.Places, part.Place), append(now.Rejected, part.Rejected)
	}
	return now, p.Number == number
}

// Primed is what a replica has taken of a priming. Nobody waits for verdicts of it.
type Primed struct {
	Replica *index.Replica
	Number  uint32
}

// FedEntries returns more than any priming has if another one is in force, because this one is over.
func (p Primed) FedEntries() uint64 {
	if now := p.Replica.Primed(); now.Number == p.Number {
		return now.Entries
	}
	return math.MaxUint64
}

// Fed returns how far a partition was primed.
func (p Primed) Fed(source entry.Source) index.Fed {
	return index.Fed{Through: p.Replica.PrimedPart(source).Through}
}

// HeldVerdicts returns 0.
func (Primed) HeldVerdicts() int { return 0 }
