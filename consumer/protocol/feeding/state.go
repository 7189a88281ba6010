package feeding

import (
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
)

// State is how far the ranges of a plan were fed.
type State struct {
	Entries uint64
	Parts   []index.FeedPart // of each range of the plan
	Places  []int64          // of each range: the time of its last place
	// Of a fill, and else nil:
	Rejected []uint64 // of each range: documents that are rejected
	Left     []int64  // of each range: the first offset that is still there
}

// begins is from which offset a range is read on, and through which offset the journal knows it. A fill tells the journal
// also of a range of which nothing is left: what waits for its end waits for the journal.
func (s *State) begins(i int, r *protocol.Range) (from, known int64) {
	known = min(max(r.From, s.Parts[i].Through), r.To)
	if s.Left == nil {
		return known, known
	}
	return min(max(known, s.Left[i]), r.To), s.Parts[i].Through
}

// StateOf returns how far a replica says that the ranges of a plan are fed. Known is false while the journal does not
// know a partition that has something to feed.
func StateOf(plan *protocol.Plan, r *index.Replica) (s State, known bool) {
	s.Entries, known = r.FedEntries(), true
	for _, of := range plan.Ranges {
		p, ok := r.Partition(of.Source)
		known = known && (ok || of.From >= of.To)
		fed := r.Fed(of.Source)
		s.Parts = append(s.Parts, index.FeedPart{Source: of.Source, Epoch: p.Epoch, Through: fed.Through})
		s.Places = append(s.Places, fed.Place)
	}
	return s, known
}
