package protocol

import (
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// TopicPartition names a partition of the source with the topic incarnation it was assigned in.
type TopicPartition struct {
	Topic      string
	Partitions int32 // of the topic, when it was assigned
	Source     entry.Source
}

// Reposition begins an epoch of the partition in the journal.
func (tp *TopicPartition) Reposition(h index.Header, offset int64, epoch uint32) *index.Reposition {
	return &index.Reposition{
		Header: h, Source: tp.Source, Name: tp.Topic, Partitions: tp.Partitions, Offset: offset,
		Epoch: epoch,
	}
}

// Assignment is a partition that a session may read, with what the steps of an assignment settled.
type Assignment struct {
	TopicPartition
	Epoch       uint32
	Start       int64  // of the epoch
	Base        int64  // all below is forwarded and committed in this epoch
	Unjournaled int64  // offsets below Base whose documents were passed on unchecked: the journal does not have them yet
	Bypasses    bool   // the transaction at hand passes documents on unchecked
	Announced   int64  // the base that the journal has from us
	Routed      uint64 // the hash of the routes by which the session forwards
	New         bool   // no document of it was ever committed in this group
	There       int64  // behind the last document that was there when it was taken over; the base, if another group forwarded before
	Requests    bool   // idempotency keys go into the journal: its bounds in force say so

	Mode    Mode
	Range   Range // of a backfill
	Tally   Tally // of what is committed; only a backfill counts it
	Pending Tally // of what the next commit covers

	refused map[int64]refusal // by offset, none below base
	fed     time.Time         // since when it is fed further, and not polled for it; zero: it is not
}

// Committed notes that all documents below end are forwarded and committed for sure (design 4, rule 2).
func (a *Assignment) Committed(end int64) {
	if a.Bypasses || a.HasUnjournaled() {
		a.Unjournaled += end - a.Base
	}
	a.Base, a.Bypasses = end, false
	a.Tally.Add(a.Pending)
	a.Pending = Tally{}
	for offset := range a.refused {
		if offset < end {
			delete(a.refused, offset)
		}
	}
}

// Unannounced says that the journal does not know the base: a session that goes idle or leaves announces it.
func (a *Assignment) Unannounced() bool { return a.Journaled() > a.Announced }

// Announcement tells the journal the base. It is not beyond what is recorded, because entries below base change nothing.
func (a *Assignment) Announcement(h index.Header) *index.Run {
	return &index.Run{Header: h, Source: a.Source, Epoch: a.Epoch, Base: a.Journaled()}
}

// Unmoved says that the group's committed offset is where the assignment left it: nothing was committed since.
func (a *Assignment) Unmoved(c Committed) bool {
	return c.Ours && c.Epoch == a.Epoch && c.Start == a.Start && c.Offset == a.Base
}
