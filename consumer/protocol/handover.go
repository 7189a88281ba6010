package protocol

import (
	"fmt"
	"slices"

	"github.com/unecho/unecho/index/entry"
)

// HandoverStep is what a handover needs next. A verb does it and answers by the method that is named there.
type HandoverStep int

// What a handover asks for.
const (
	StepLook     HandoverStep = iota // the routing in force in both journals: Looked
	StepRetire                       // that Duty is appended to the old group's journal as the next routing: Appended
	StepDrain                        // that the old group has no member: Drained
	StepFence                        // that the old group's transactional ids are fenced: Fenced
	StepOffsets                      // the committed offsets of both groups, the old one's fetched as RequireStable says, and then the ends of its topics of unique documents: Offsets
	StepActivate                     // that Duty is appended to the new group's journal as the next routing: Appended
	StepVoid                         // as StepActivate, of a record by which the new group can not take over any more: Appended
	StepRestore                      // that Duty is appended to the old group's journal as the next routing: Appended
	StepDone                         // nothing: it is done
	StepRefused                      // nothing: Refusal says why
)

// Side is a group of a handover as its journal shows it.
type Side struct {
	Group   string
	Journal string // its incarnation; empty: there is none
	Number  uint32 // of the routing in force; 0: none was declared
	Duty    Duty
}

// Standpoint is how far a partition of the source is, for both groups. -1 is an offset that is not committed.
type Standpoint struct {
	Topic      string
	Source     entry.Source
	Begin, End int64
	Old        int64 // committed by the old group, stable
	New        int64 // committed by the new group
}

// HandoverRefusal is why a handover cannot go on.
type HandoverRefusal struct {
	Why    HandoverReason
	Other  string       // the group that stands in the way
	Places []Standpoint // the partitions that do
}

// HandoverReason is the kind of it.
type HandoverReason int

// Reasons of refusals.
const (
	NoOldJournal  HandoverReason = iota // the old group has no journal, or no routing
	NoNewJournal                        // the new one has none
	NewForwards                         // the new group forwards, and did not take over from the old one
	NewFollows                          // the new group does not follow the old one
	NewRetired                          // the new group has retired itself
	OldFollows                          // the old group follows another one, and has nothing to hand over
	OldSucceeded                        // another group takes over from the old one
	WasVoided                           // the handover was abandoned
	OffsetsGone                         // offsets that the old group had committed are not there any more
	NewBeyond                           // the new group has committed beyond where it would begin
	TakenOver                           // to abandon: the handover is complete, or the new group has forwarded
	NothingToVoid                       // to abandon: the old group has not retired for the new one
)

// Handover has one group take over from another (Back false), or abandons that (Back true). All it needs to know is in the two journals
// and in the group's offsets, so that one that was killed is gone on with by another one, and several at once do no
// harm.
//
// What makes it safe: a routing counts only with the number that follows. So what is decided by a journal that has
// changed since does not count. Whoever makes a retirement void writes that to the new group's journal, before the
// old group forwards again.
type Handover struct {
	Back     bool
	Latest   []string // topics that the old group reads from their ends where they are new
	Old, New Side
	Refusal  HandoverRefusal
	next     HandoverStep
	duty     Duty
	drained  uint32 // the number of the retirement after which the old group was seen without a member
	fenced   uint32 // the number of the retirement after which its transactional ids were fenced
	restored uint32 // the number of the retirement that was made void
	asked    uint32 // the number of the retirement that was found incomplete by the offsets of both groups
}

// Next says what is needed next.
func (h *Handover) Next() HandoverStep { return h.next }

// Duty is that of the record that StepRetire, StepActivate, StepVoid and StepRestore want. Its number is that of the
// side's routing + 1.
func (h *Handover) Duty() Duty { return h.duty }

// Looked answers StepLook.
func (h *Handover) Looked(newer, older Side) {
	h.Old, h.New = older, newer
	switch {
	case older.Number == 0:
		h.refuse(NoOldJournal, older.Group)
	case h.Back:
		h.lookBack()
	case newer.Number == 0:
		h.refuse(NoNewJournal, newer.Group)
	default:
		h.look()
	}
}

// retiredForNew says that the old group has retired in favour of this incarnation of the new one.
func (h *Handover) retiredForNew() bool {
	d := &h.Old.Duty
	return d.Kind == Retired && d.Other == h.New.Group && d.OtherJournal == h.New.Journal
}

// voided says that the new group can not complete the old one's retirement any more.
func (h *Handover) voided() bool {
	d := &h.New.Duty
	return d.Kind == Fills && d.Other == h.Old.Group && d.Void >= h.Old.Number
}

// wasAbandoned says that a handover was abandoned to its last record, and none was begun since.
func (h *Handover) wasAbandoned() bool {
	d := &h.New.Duty
	return h.Old.Duty.Kind == Forwards && d.Kind == Fills && d.Other == h.Old.Group && d.Void > 0
}

// tookOver says that the new group has taken over from this incarnation of the old one.
func (h *Handover) tookOver() bool {
	d := &h.New.Duty
	return d.Kind == Forwards && d.Other == h.Old.Group && d.OtherJournal == h.Old.Journal
}

func (h *Handover) look() {
	is, was := &h.New.Duty, &h.Old.Duty
	switch {
	case h.tookOver() && h.retiredForNew():
		h.next = StepDone
	case is.Kind == Retired:
		h.refuse(NewRetired, is.Other)
	case is.Kind == Forwards:
		h.refuse(NewForwards, h.New.Group)
	case is.Other != h.Old.Group:
		h.refuse(NewFollows, is.Other)
	case was.Kind == Fills:
		h.refuse(OldFollows, was.Other)
	case was.Kind == Forwards:
		h.next = StepOffsets // to see whether it can be completed
	case !h.retiredForNew():
		h.refuse(OldSucceeded, was.Other)
	case h.voided():
		h.refuse(WasVoided, h.Old.Group)
	case h.drained != h.Old.Number:
		h.next = StepDrain
	case h.fenced != h.Old.Number:
		h.next = StepFence
	default:
		h.next = StepOffsets
	}
}

// lookBack: first the new group's journal says that the retirement is void, then the old group forwards again.
func (h *Handover) lookBack() {
	is := &h.New.Duty
	switch {
	case h.tookOver():
		h.refuse(TakenOver, h.New.Group)
	case h.restored > 0 && h.Old.Number != h.restored:
		h.next = StepDone
	case h.wasAbandoned():
		h.next = StepDone
	case h.Old.Duty.Kind != Retired || h.Old.Duty.Other != h.New.Group:
		h.refuse(NothingToVoid, h.Old.Group)
	case h.Old.Duty.OtherJournal != h.New.Journal && h.asked != h.Old.Number:
		h.next = StepOffsets // a journal that is gone completes nothing, but may have completed it
	case h.Old.Duty.OtherJournal != h.New.Journal || h.voided():
		h.next, h.restored = StepRestore, h.Old.Number
		was := &h.Old.Duty
		h.duty = Duty{Kind: Forwards, From: was.From, Fill: was.Fill, Dropped: was.Dropped}
		if len(was.From)+len(was.Fill) > 0 {
			h.duty.Other, h.duty.OtherJournal, h.duty.OwnJournal = was.PreviousGroup, was.PreviousJournal, was.OwnJournal
		}
	case is.Kind != Fills || is.Other != h.Old.Group:
		h.refuse(NewFollows, is.Other)
	default:
		h.next, h.duty = StepVoid, *is
		h.duty.Void = h.Old.Number
	}
}

// Appended answers StepRetire, StepActivate, StepVoid and StepRestore. Whether the record counts is in the journals.
func (h *Handover) Appended() { h.next = StepLook }

// Failed answers anything whose answer is not known, because a broker was lost for example: the journals tell how far
// the handover is.
func (h *Handover) Failed() { h.next = StepLook }

// Drained answers StepDrain, once the group was seen without a member after its retirement: what its members judged
// before can not be committed any more, and who joins it again reads of the retirement first.
func (h *Handover) Drained() { h.drained, h.next = h.Old.Number, StepFence }

// Fenced answers StepFence.
func (h *Handover) Fenced() { h.fenced, h.next = h.Old.Number, StepOffsets }

// Offsets answers StepOffsets with all partitions of the old group's sources, and with the ends of its topics of unique
// documents. They are read after its offsets are stable, so that all that it ever forwarded stands below. Before the
// retirement it only tells whether the handover could be completed, and the ends do not matter. Where the new group's
// journal is gone, it tells whether that group has forwarded: a group that is filled commits nothing.
func (h *Handover) Offsets(of []Standpoint, unique []Boundary) {
	from, gone, beyond := h.from(of)
	switch {
	case h.Back && len(beyond) > 0:
		h.refuse(TakenOver, h.New.Group, beyond...)
	case h.Back:
		h.asked, h.next = h.Old.Number, StepLook
	case h.Old.Duty.Kind == Forwards && len(of) > 0 && len(seen(of)) == 0: // whoever was at work has committed
		h.refuse(OffsetsGone, h.Old.Group, of...)
	case len(gone) > 0:
		h.refuse(OffsetsGone, h.Old.Group, gone...)
	case len(beyond) > 0:
		h.refuse(NewBeyond, h.New.Group, beyond...)
	case h.Old.Duty.Kind == Forwards:
		h.next = StepRetire
		h.duty = Duty{
			Kind: Retired, Other: h.New.Group, OtherJournal: h.New.Journal, OwnJournal: h.Old.Journal, From: h.Old.Duty.From,
			Fill: h.Old.Duty.Fill, Dropped: h.Old.Duty.Dropped, PreviousGroup: h.Old.Duty.Other, PreviousJournal: h.Old.Duty.OtherJournal, Seen: seen(of),
		}
	default:
		h.next = StepActivate
		h.duty = Duty{Kind: Forwards, Other: h.Old.Group, OtherJournal: h.Old.Journal, OwnJournal: h.New.Journal, From: from}
		h.duty.Dropped = h.New.Duty.Dropped
		h.duty.Fill = together(unique, h.Old.Duty.Fill)
	}
}

// from is where the new group begins to forward: behind all that the old one has forwarded, and behind all that was
// forwarded before the old one took over itself.
func (h *Handover) from(of []Standpoint) (from []Boundary, gone, beyond []Standpoint) {
	read := map[string]bool{} // topics of which the old group has read something
	for i := range of {
		read[of[i].Topic] = read[of[i].Topic] || of[i].Old >= 0
	}
	for i := range of {
		p := &of[i]
		begins := max(p.Old, h.Old.Duty.Begins(p.Source))
		if p.Old < 0 {
			if last, known := at(h.Old.Duty.Seen, p.Source); known && last > begins {
				gone = append(gone, *p)
			}
			begins = max(begins, p.Begin)
			if slices.Contains(h.Latest, p.Topic) && !read[p.Topic] {
				begins = max(begins, p.End)
			}
		}
		if p.Old > p.End { // of another topic of that name
			gone = append(gone, *p)
		}
		if p.New > max(begins, p.Begin) {
			beyond = append(beyond, *p)
		}
		from = append(from, Boundary{p.Topic, p.Source, begins})
	}
	return sorted(from), gone, beyond
}

// together is each boundary of both, the farther one where both have it: what the old group had to remember before it
// judged is what the new one has to. Of a topic that was created again since, only what is there now can be brought.
func together(of, more []Boundary) []Boundary {
	all := slices.Clone(of)
	for _, b := range more {
		i := slices.IndexFunc(all, b.SamePartition)
		switch {
		case i < 0:
			all = append(all, b)
		case all[i].Source == b.Source:
			all[i].Offset = max(all[i].Offset, b.Offset)
		}
	}
	return sorted(all)
}

func sorted(of []Boundary) []Boundary {
	slices.SortFunc(of, func(a, b Boundary) int { return a.Name().Compare(b.Name()) })
	return of
}

func seen(of []Standpoint) (all []Boundary) {
	for i := range of {
		if of[i].Old >= 0 {
			all = append(all, Boundary{of[i].Topic, of[i].Source, of[i].Old})
		}
	}
	return all
}

func (h *Handover) refuse(why HandoverReason, other string, places ...Standpoint) {
	h.next, h.Refusal = StepRefused, HandoverRefusal{why, other, places}
}

// String names the step, for traces and messages.
func (w HandoverStep) String() string {
	names := [...]string{"look", "retire", "drain", "fence", "offsets", "activate", "void", "restore", "over", "refused"}
	if int(w) < len(names) {
		return names[w]
	}
	return fmt.Sprint(int(w))
}
