package comparison

import (
	"cmp"
	"math"
	"slices"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/succession"
	"github.com/unecho/unecho/index/entry"
)

// Span is the part of a source partition that is compared: the offsets [From, To).
type Span struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	From      int64  `json:"from"`
	To        int64  `json:"to"`
}

// kept are verdicts about the offsets of a partition from one on.
type kept struct {
	from int64
	of   []verdict // by offset less from
}

func keeping(from, to int64) kept { return kept{from, make([]verdict, to-from)} }

// at returns where the verdict about an offset is kept, or nil if none is kept.
func (k *kept) at(offset int64) *verdict {
	if offset < k.from || offset >= k.from+int64(len(k.of)) {
		return nil
	}
	return &k.of[offset-k.from]
}

// part is a span, and what both groups said of its documents.
type part struct {
	Span
	source entry.Source
	number uint16 // of the topic, in names
	ahead  int64  // how many offsets behind To the old group has committed
	older  kept   // from From on
	newer  kept   // of earlier documents, too
	known  int64  // the new group's verdicts are known from this offset on
}

// earlier is of how many documents before the spans the new group's verdicts are kept, in all: they tell which
// originals are copies of each other. That takes 100 MB at most.
const earlier = 4 << 20

// missing says that the old group's verdict about an offset is not known.
func (p *part) missing() bool {
	return slices.ContainsFunc(p.older.of, func(v verdict) bool { return v.kind == unsaid })
}

// parts are the newest offsets that both groups have committed and the old group forwarded, no more than documents in
// all. Partitions with few of them keep them, and the others share the rest.
func parts(s *succession.Standing, documents int64) (all []*part) {
	for i := range s.Places {
		at := &s.Places[i]
		begins := s.Old.Duty.Begins(at.Source)
		old := at.Old
		if s.New.Duty.Kind == protocol.Forwards { // it has taken over, and forwards from there on
			old = s.New.Duty.Begins(at.Source)
		}
		p := &part{source: at.Source, known: math.MaxInt64}
		p.Topic, p.Partition = at.Topic, at.Source.Partition
		p.To = min(old, at.New)
		p.From = max(0, at.Begin, begins)
		p.ahead = max(0, old-p.To)
		if p.From < p.To {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b *part) int {
		return cmp.Or(cmp.Compare(a.To-a.From, b.To-b.From), cmp.Compare(a.Topic, b.Topic),
			cmp.Compare(a.Partition, b.Partition))
	})
	for i, p := range all {
		share := min(p.To-p.From, documents/int64(len(all)-i))
		p.From = p.To - share
		documents -= share
	}
	all = slices.DeleteFunc(all, func(p *part) bool { return p.From == p.To })
	slices.SortFunc(all, func(a, b *part) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
	for _, p := range all {
		p.older = keeping(p.From, p.To)
		p.newer = keeping(max(0, p.From-earlier/int64(len(all))), p.To)
	}
	return all
}
