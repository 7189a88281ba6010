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
}

// StateOf returns how far a replica says that the ranges of a plan are fed. Known is false while the journal does not know a
// partition that has something to feed.
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
