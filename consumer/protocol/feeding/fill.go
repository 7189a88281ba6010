package feeding

import (
	"math"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// A fill is fed like a backfill, with three differences: the records are fills, nobody waits for verdicts, and documents
// that were deleted meanwhile are passed over, because what is remembered begins with what is left.

// FillOf returns the record of a fill for what a merge has sealed. It shares the entries. rejected is what the merge
// says of the parts.
func FillOf(plan *protocol.Plan, number uint32, f *index.Feed, rejected []uint64) *index.Fill {
	of := &index.Fill{Header: f.Header, Number: number, First: f.First, Entries: f.Entries}
	for i := range f.Parts {
		p := &f.Parts[i]
		r, _ := plan.Of(p.Source)
		of.Parts = append(of.Parts, index.FillPart{
			Source: p.Source, Name: r.Topic, From: p.From, Through: p.Through,
			Rejected: rejected[i],
		})
	}
	return of
}

// FilledState returns how far a replica says that the ranges of a fill are brought, by it or by fills before. It is
// false if the fill is over, because another one is in force or the group judges. Left is to be added.
func FilledState(plan *protocol.Plan, number uint32, r *index.Replica) (now State, inForce bool) {
	f := r.Filled()
	now.Entries = f.Entries
	for _, of := range plan.Ranges {
		part := r.FilledPart(of.Source)
		now.Parts = append(now.Parts, index.FeedPart{Source: of.Source, Through: part.Through})
		now.Places, now.Rejected = append(now.Places, part.Place), append(now.Rejected, part.Rejected)
	}
	return now, f.Number == number && !r.Judges()
}

// Filled is what a replica has taken of a fill. Nobody waits for verdicts of it.
type Filled struct {
	Replica *index.Replica
	Number  uint32
}

// FedEntries returns more than any fill has if this one is over.
func (f Filled) FedEntries() uint64 {
	if now := f.Replica.Filled(); now.Number == f.Number && !f.Replica.Judges() {
		return now.Entries
	}
	return math.MaxUint64
}

// Fed returns how far a partition was brought.
func (f Filled) Fed(source entry.Source) index.Fed {
	return index.Fed{Through: f.Replica.FilledPart(source).Through}
}

// HeldVerdicts returns 0.
func (Filled) HeldVerdicts() int { return 0 }
