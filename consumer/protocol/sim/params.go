package sim

import (
	"time"

	"github.com/unecho/unecho/consumer/protocol"
)

// Params are what kind of history it is.
type Params struct {
	Members    int
	Sessions   int // of a member
	Partitions int
	Documents  int // offsets of a partition
	Contents   int // different documents
	Gaps       bool
	Arrived    bool // the source is there from the beginning
	Poll       int  // documents that a poll gives at most
	Entries    int  // of a journal record at most
	Steps      int  // with faults; then everything is left to come to its end

	Rejects  bool // a content is rejected before signing
	Leaves   bool // that content is forwarded unchecked instead
	Refuses  int  // a content is refused: 1 by the topic of its verdict, 2 by rejected as well
	Drops    bool // duplicates are dropped: no output takes or refuses them
	Untimely bool // that content is refused for its time, and goes nowhere until rejected has it with another

	SetOffsets    bool // people set offsets
	DeleteOffsets bool // offsets expire
	LoseOffsets   bool // offsets go back by themselves, which is accepted
	LoseTail      bool // the source loses documents that nobody has committed
	DeleteHead    bool // retention deletes documents
	Recreate      bool // the source topic is deleted and created again
	Snapshots     bool // are taken, restored, damaged; the journal is trimmed
	Strangers     bool // members with other settings append
	Divergence    bool // a replica goes wrong
	Routings      bool // the routing is changed, and members differ in it
	Changes       bool // bounds are changed while the group is at work, and some documents are near to others
	Erasures      bool // people have documents erased
	Files         bool // some members have old documents in files
	Requests      bool // documents come with idempotency keys
	Outages       bool // the journal is away for a session, which passes documents on

	Backfill bool           // the group replays a range
	Order    protocol.Order // of the backfill
	MostHeld int            // verdicts that its replicas hold, roughly
	Feeds    int            // entries of one of its feeds at most
	Queued   int            // bytes of entries that wait for those of other ranges
	Compacts bool           // documents are compacted away, of what is fed

	Fills int // with which a history begins, one after the other; 0: none. Feeds and Queued are those of their feeders
	Past  int // offsets of a partition of the old topic

	References int // duplicates.max_references; 0: the usual number

	Count   int           // duplicates.remember.documents
	Age     time.Duration // duplicates.remember.age
	KeepAll bool          // duplicates.compare_copies: true
	Refresh bool          // duplicates.remember.refresh: last
	Reemit  time.Duration // duplicates.remember.reemit_every
}

// Vary draws the kind of history from a seed.
func Vary(seed uint64) Params {
	c := random(seed ^ 0x7061_7261_6d73)
	yes := func(of int) bool { return c.n(of) == 0 }
	p := Params{
		Members: 1 + c.n(3), Sessions: 1 + c.n(2), Partitions: 1 + c.n(2), Documents: 3 + c.n(30), Contents: 2 + c.n(4),
		Poll: 4, Entries: 3,
		Gaps: yes(2), Steps: 100 + c.n(2400), Rejects: yes(3), SetOffsets: yes(2), DeleteOffsets: yes(5), LoseOffsets: yes(8),
		LoseTail: yes(8), Recreate: yes(8), Snapshots: !yes(4), Strangers: yes(4), Divergence: yes(4),
	}
	if yes(5) { // what comes together is rare otherwise
		p.LoseOffsets, p.LoseTail = true, true
	}
	p.Leaves = p.Rejects && p.Steps%2 == 0
	p.DeleteHead = yes(4)
	if yes(2) {
		p.Refuses = 1 + c.n(2)
	}
	if yes(4) {
		p.Count = 1 + c.n(6)
	}
	if yes(4) {
		p.Age = time.Duration(1+c.n(200)) * time.Millisecond
	}
	p.KeepAll, p.Refresh = yes(3), yes(4)
	if yes(6) {
		p.Reemit = time.Duration(1+c.n(100)) * time.Millisecond
	}
	p.Routings, p.Untimely = yes(4), yes(3)
	p.Drops = yes(4)
	return p
}
