package snapshot

import (
	"cmp"
	"encoding/base64"
	"fmt"
)

// Position is a place in one journal: where a replica restored from the snapshot goes on.
type Position struct {
	JournalTopic [16]byte // the topic's UUID: a journal deleted and created again is another one
	LeaderEpoch  int32    // of the last record applied; -1 if unknown
	Offset       int64    // the next journal offset to apply
}

// SameJournal says whether two positions can be compared at all.
func (p Position) SameJournal(q Position) bool { return p.JournalTopic == q.JournalTopic }

// Compare orders positions of the same journal: by offset, then by leader epoch. Where the journals differ it says
// nothing of use.
func (p Position) Compare(q Position) int {
	return cmp.Or(cmp.Compare(p.Offset, q.Offset), cmp.Compare(p.LeaderEpoch, q.LeaderEpoch))
}

// Newer says that p lies behind q in the same journal.
func (p Position) Newer(q Position) bool { return p.SameJournal(q) && p.Compare(q) > 0 }

// String is for people; the topic's UUID looks as in Kafka's own tools.
func (p Position) String() string {
	return fmt.Sprintf("offset %d of journal %s (leader epoch %d)", p.Offset, p.Journal(), p.LeaderEpoch)
}

// Journal is the journal topic's UUID as Kafka's own tools write it.
func (p Position) Journal() string { return base64.RawURLEncoding.EncodeToString(p.JournalTopic[:]) }
