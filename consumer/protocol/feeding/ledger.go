package feeding

import (
	"errors"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

var (
	// ErrUntaken says that the replica did not take what was appended: it became unreadable, or is not what follows.
	ErrUntaken = errors.New("the replica has not taken what was fed")
	// ErrOvertaken says that another feeder is ahead.
	ErrOvertaken = errors.New("another feeder is ahead")
)

// Sent is an append that the replica has yet to take.
type Sent struct {
	last    int64  // its greatest journal offset
	entries uint64 // fed before and by it
	parts   []index.FeedPart
}

// Taken is what a replica has taken of what was fed.
type Taken interface {
	FedEntries() uint64                // all that were fed
	Fed(source entry.Source) index.Fed // how far a partition was
	HeldVerdicts() int
}

// Ledger is what a feeder has framed and appended, as far as the replica was not seen to take it.
type Ledger struct {
	framed  uint64 // entries fed before and by all that was framed
	parts   []index.FeedPart
	pending []Sent // appended, and not found in the replica
}

// NewLedger begins with so many entries fed.
func NewLedger(entries uint64) *Ledger { return &Ledger{framed: entries} }

// Frame notes a record for the next append.
func (l *Ledger) Frame(f *index.Feed) {
	l.parts = append(l.parts, f.Parts...)
	l.framed = f.First + uint64(len(f.Entries))
}

// Append begins an append of all that was framed since the last one. Appended is to be called when it is in the
// journal.
func (l *Ledger) Append() Sent {
	s := Sent{entries: l.framed, parts: l.parts}
	l.parts = nil
	return s
}

// Appended notes that an append is in the journal, with its greatest offset there.
func (l *Ledger) Appended(s Sent, last int64) {
	s.last = last
	l.pending = append(l.pending, s)
}

// Next returns the journal offset that the replica has to pass before Find may be called. Pending is how many appends
// were not found yet; there is no offset if it is zero.
func (l *Ledger) Next() (last int64, pending int) {
	if len(l.pending) == 0 {
		return 0, 0
	}
	return l.pending[0].last, len(l.pending)
}

// Find looks for the oldest pending append in a replica that has passed it. It returns ErrUntaken or ErrOvertaken if
// the feeder has to begin again where the replica is.
func (l *Ledger) Find(r Taken) error {
	a := &l.pending[0]
	switch fed := r.FedEntries(); {
	case fed < a.entries:
		return ErrUntaken
	case fed > l.framed:
		return ErrOvertaken
	}
	for i := range a.parts {
		if p := &a.parts[i]; r.Fed(p.Source).Through < p.Through {
			return ErrUntaken
		}
	}
	l.pending = l.pending[1:]
	return nil
}

// Room is what stands between a feeder and its next append.
type Room int

// Rooms.
const (
	Roomy   Room = iota // nothing: it may append
	Crowded             // the replica holds too many verdicts: sessions are to commit some
	Unfound             // the pending appends are to be found first, so that nobody waits for verdicts that never come
)

// Room says whether what was framed may be appended, if the replica is to hold fewer than most verdicts.
func (l *Ledger) Room(r Taken, most int) Room {
	held, under := r.HeldVerdicts(), int64(l.framed-r.FedEntries())
	switch {
	case int64(held)+under < int64(most):
		return Roomy
	case len(l.pending) > 0:
		return Unfound
	case held < most:
		return Roomy
	}
	return Crowded
}
