package snapshot

import (
	"cmp"
	"encoding/base64"
	"fmt"
)

// Position is the place in one journal at which a replica restored from the snapshot continues.
type Position struct {
	JournalTopic [16]byte // UUID of the journal topic; a journal that is deleted and created again has another one
	LeaderEpoch  int32    // leader epoch of the last record applied; -1 if unknown
	Offset       int64    // the next journal offset to apply
}

// SameJournal says whether two positions are of the same journal and so can be compared.
func (p Position) SameJournal(q Position) bool { return p.JournalTopic == q.JournalTopic }

// Compare orders positions of the same journal by offset, then by leader epoch. For different journals the result means
// nothing.
func (p Position) Compare(q Position) int {
	return cmp.Or(cmp.Compare(p.Offset, q.Offset), cmp.Compare(p.LeaderEpoch, q.LeaderEpoch))
}

// Newer says whether p is behind q in the same journal.
func (p Position) Newer(q Position) bool { return p.SameJournal(q) && p.Compare(q) > 0 }

// String formats a position for people, with the topic's UUID as Kafka's own tools show it.
func (p Position) String() string {
	return fmt.Sprintf("offset %d of journal %s (leader epoch %d)", p.Offset, p.Journal(), p.LeaderEpoch)
}

// Journal returns the journal topic's UUID as Kafka's own tools write it.
func (p Position) Journal() string { return base64.RawURLEncoding.EncodeToString(p.JournalTopic[:]) }
