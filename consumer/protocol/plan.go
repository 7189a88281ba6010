package protocol

import (
	"math"

	"github.com/unecho/unecho/index/entry"
)

// Order says in which order a backfill judges documents.
type Order int

// Orders.
const (
	ByPlace   Order = iota // (latest time so far in the partition, topic, partition, offset)
	ByArrival              // as entries reach the journal
)

const (
	byPlaceText   = "time"
	byArrivalText = "arrival"
)

// String returns the word for the order that people write.
func (o Order) String() string {
	if o == ByArrival {
		return byArrivalText
	}
	return byPlaceText
}

// ParseOrder returns the order of that word, or false if there is none.
func ParseOrder(text string) (Order, bool) {
	switch text {
	case byPlaceText:
		return ByPlace, true
	case byArrivalText:
		return ByArrival, true
	}
	return 0, false
}

// Plan is what a backfill reads. It is fixed by the process that starts first, and agreed on in the journal.
type Plan struct {
	Order  Order
	Fixed  int64   // ms since 1970: when the ranges were fixed. A document that claims a later time has none.
	Ranges []Range // ascending by topic name and partition; that is their order where times are equal
	From   string  // where it begins, as a person asked for it; for people
	To     string  // where it ends
}

// Range is what is read of one partition.
type Range struct {
	Topic  string
	Source entry.Source
	From   int64 // the first offset
	To     int64 // the one behind the last
}

// Name is that of the partition.
func (r Range) Name() PartitionName { return entry.Name(r.Topic, r.Source.Partition) }

// Of returns the range of a partition.
func (p *Plan) Of(source entry.Source) (Range, bool) {
	for _, r := range p.Ranges {
		if r.Source == source {
			return r, true
		}
	}
	return Range{}, false
}

// Documents is an upper bound of how many documents the plan covers.
func (p *Plan) Documents() (n int64) {
	for _, r := range p.Ranges {
		n += r.To - r.From
	}
	return n
}

// NoPlace is the time of the place before a partition's first document.
const NoPlace = math.MinInt64

// Place returns the time of the place of a partition's next document, which has the given time. last is that of the
// document before it, or NoPlace. A time of zero or below, or beyond the moment at which the plan was fixed, tells
// nothing.
func (p *Plan) Place(last, time int64) int64 {
	switch {
	case time > 0 && time <= p.Fixed:
		return max(last, time)
	case last == NoPlace:
		return 0
	}
	return last
}

// Tally counts the verdicts of a partition's documents that are committed.
type Tally struct {
	Unique    int64
	Reemitted int64 // copies that were let through as unique
	Duplicate int64
	Rejected  int64
	Unchecked int64 // forwarded as unique without being judged
}

// Add adds another tally.
func (t *Tally) Add(o Tally) {
	t.Unique += o.Unique
	t.Reemitted += o.Reemitted
	t.Duplicate += o.Duplicate
	t.Rejected += o.Rejected
	t.Unchecked += o.Unchecked
}

// Documents is how many documents were counted.
func (t Tally) Documents() int64 {
	return t.Unique + t.Reemitted + t.Duplicate + t.Rejected + t.Unchecked
}

// Progress is how far a backfill has come, with all its processes.
type Progress struct {
	Finished bool
	Done     int64 // offsets of the ranges that are committed
	Total    int64
	Tally    Tally
}

// Progress sums up the committed offsets of the plan's ranges.
func (p *Plan) Progress(committed func(Range) Committed) Progress {
	all := Progress{Finished: true, Total: p.Documents()}
	for _, r := range p.Ranges {
		c := committed(r)
		if !c.Ours || c.Offset < r.To {
			all.Finished = false
		}
		if c.Ours {
			all.Done += min(max(0, c.Offset-r.From), r.To-r.From)
			all.Tally.Add(c.Tally)
		}
	}
	return all
}
