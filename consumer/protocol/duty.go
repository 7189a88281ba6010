package protocol

import (
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// Duty is what the routing in force has a group do (design 4, rules 16 and 17). The zero value is that of a group that
// begins with an empty window: it forwards everything.
type Duty struct {
	Kind         DutyKind
	Other        string // the group that is followed, that takes over, or that this one took over from; empty: there is none
	OtherJournal string // the incarnation of that group's journal, where it matters
	OwnJournal   string // the incarnation of this group's journal: a record in a journal that was deleted since means nothing
	// From says from which offset of a partition on documents are this group's to forward. It never reads those below:
	// they were another group's, or a fill brought them.
	From []Boundary
	// Fill says up to where the topics of unique documents of the groups before this one are to be remembered before it
	// judges anything.
	Fill []Boundary
	// Dropped are topics to which earlier routings of the group sent unique documents, and the one in force sends none. A
	// successor remembers what is there as well.
	Dropped []string
	// Ready is when a member of a group that fills its window last noted that everything is brought, ms since 1970; 0:
	// never. For so long the group can take over without a long pause.
	Ready int64
	// PreviousGroup is the group that a retired group had taken over from, and PreviousJournal the incarnation of that one's
	// journal. They stand in Other and OtherJournal again if the retirement is abandoned: the duty is what it was.
	PreviousGroup, PreviousJournal string
	// Seen is what a group had committed, at least, when it retired.
	Seen []Boundary
	// Void is the number of the latest retirement of the followed group that must not be completed any more.
	Void uint32
}

// DutyKind is what a group does.
type DutyKind int

// Kinds of duty.
const (
	Forwards DutyKind = iota // documents go to the outputs
	Fills                    // nothing is read; what is to be remembered is brought, by members if Other is named
	Retired                  // nothing is read any more
)

// Boundary is an offset of a partition.
type Boundary struct {
	Topic  string
	Source entry.Source
	Offset int64
}

// Name is that of the partition.
func (b Boundary) Name() PartitionName { return entry.Name(b.Topic, b.Source.Partition) }

// SamePartition says that another boundary is one of a partition of that name: of the same topic, or of one that was created
// again. A duty has one of both.
func (b Boundary) SamePartition(other Boundary) bool { return b.Name() == other.Name() }

// Filled says that everything is remembered that is to be before the group judges. An empty partition is.
func (d *Duty) Filled(r *index.Replica) bool {
	for i := range d.Fill {
		if r.FilledPart(d.Fill[i].Source).Through < d.Fill[i].Offset {
			return false
		}
	}
	return true
}

// at returns the offset of a partition's boundary.
func at(of []Boundary, source entry.Source) (offset int64, ok bool) {
	for i := range of {
		if of[i].Source == source {
			return of[i].Offset, true
		}
	}
	return 0, false
}

// Begins is the offset from which on the group forwards a partition.
func (d *Duty) Begins(source entry.Source) int64 {
	offset, _ := at(d.From, source)
	return offset
}

// Saw is what the group had committed of a partition, at least, when it retired.
func (d *Duty) Saw(source entry.Source) int64 {
	offset, _ := at(d.Seen, source)
	return offset
}
