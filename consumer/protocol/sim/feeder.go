package sim

import (
	"errors"
	"math"
	"slices"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/protocol/feeding"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// feeder does what package feed does, one read, append or look at the replica a step.
type feeder struct {
	*World
	id     int
	member *member
	alive  bool
	plan   *protocol.Plan
	number uint32 // of the fill; 0: it feeds a backfill

	until   int64          // the replica has to pass this before it begins; -1: it has not asked
	merge   *feeding.Merge // nil: it has not begun
	ledger  *feeding.Ledger
	rested  []bool // ranges that are left alone
	largest int    // bytes that one read queued, at most

	letters []letter // the next append
	sending bool     // it waits until that may be appended
	ours    *appending
	sent    feeding.Sent // of ours

	through []int64    // of each range: what sealed records feed
	pending [][]letter // appended, and not found

	before  uint64 // entries fed when it began the last time
	untaken int    // appends in a row that changed nothing
}

// recordsAtOnce is how many records are appended together.
const recordsAtOnce = 3

// framing is what the journal needs for a part, and before an entry.
const framing = 8

// stepFeeder has a process feed which has the first partition of the plan. While there are faults, others feed as
// well, and who has lost the partition notices it some time later.
func (w *World) stepFeeder() bool {
	if w.plan.Order != protocol.ByPlace {
		return false
	}
	m := w.process()
	if m == nil || !m.ready || m.number < 0 {
		return false
	}
	elected := w.elected(m)
	switch f := m.feeder; {
	case f == nil && !m.fed && (elected || w.mishap(12)):
		w.feed(m, w.plan, 0)
		w.act("feeder started")
		w.note("f%d of member %d feeds", w.steps, m.number)
		return true
	case f == nil:
		return false
	case !elected && (!w.faults || w.chance(1, 20)):
		w.note("f%d notices that it has lost the first partition", f.id)
		w.act("feeder replaced")
		f.end()
		return true
	default:
		return f.step()
	}
}

// feed has a process bring a plan: that of a backfill, or of the fill of a number.
func (w *World) feed(m *member, plan *protocol.Plan, number uint32) {
	m.feeder = &feeder{World: w, id: w.steps, member: m, alive: true, plan: plan, number: number, until: -1}
}

// elected says that a process has the first partition of the plan.
func (w *World) elected(m *member) bool {
	first := int(w.plan.Ranges[0].Source.Partition)
	return slices.ContainsFunc(w.sessions, func(s *session) bool {
		return s.alive && s.member == m && s.shares[first].assignment() != nil
	})
}

func (f *feeder) end() { f.alive, f.member.feeder = false, nil }

func (f *feeder) step() bool {
	switch {
	case f.merge == nil:
		return f.begin()
	case f.ours != nil && f.ours.failed:
		f.act("append repeated")
		f.put()
		return true
	case f.ours != nil && f.ours.left == 0:
		f.ledger.Appended(f.sent, f.ours.last)
		f.pending = append(f.pending, f.ours.letters)
		f.ours = nil
		return true
	case f.sending:
		return f.send()
	case f.merge.Done():
		return f.finish()
	case f.n(2) == 0:
		return f.read()
	}
	return f.seal()
}

// begin begins where the replica is when it has passed the journal's end.
func (f *feeder) begin() bool {
	if f.until < 0 {
		f.until = int64(len(f.journal))
		return true
	}
	if f.member.replica.Next() < f.until {
		return false
	}
	from, ok := f.state()
	if !ok {
		return f.merge == nil && !f.alive
	}
	if from.Entries > f.before {
		f.untaken = 0
	}
	f.before = from.Entries
	f.merge, f.ledger, f.rested = feeding.NewMerge(f.plan, from, f.limits()), feeding.NewLedger(from.Entries),
		make([]bool, len(f.plan.Ranges))
	f.through = make([]int64, len(f.plan.Ranges))
	return true
}

// state is how far the replica says that the plan is fed. It is false where nothing is to be done now, because the
// journal does not know a partition yet, or ever: the fill is over, and the feeder ends.
func (f *feeder) state() (from feeding.State, ok bool) {
	if f.number == 0 {
		return feeding.StateOf(f.plan, f.member.replica)
	}
	if from, ok = feeding.FilledState(f.plan, f.number, f.member.replica); !ok {
		f.act("the fill is over")
		f.end()
		return from, false
	}
	for i := range f.plan.Ranges {
		from.Left = append(from.Left, f.of(i).begin)
	}
	return from, true
}

// of is the partition of a range.
func (f *feeder) of(number int) *part { return f.partOf(f.plan.Ranges[number].Source) }

// partOf is a partition of the source, of the old topic, or of a topic of unique documents.
func (w *World) partOf(source entry.Source) *part {
	switch topic := source.Topic[0]; {
	case topic > oldTopic:
		return w.heir.of.topics[int(topic)-oldTopic-1]
	case topic == oldTopic:
		return w.olds[source.Partition]
	}
	return w.parts[source.Partition]
}

// taken is what the replica has taken of what was fed.
func (f *feeder) taken() feeding.Taken {
	if f.number == 0 {
		return f.member.replica
	}
	return feeding.Filled{Replica: f.member.replica, Number: f.number}
}

// again begins anew. What was sent may land later.
func (f *feeder) again() {
	f.merge, f.until, f.letters, f.sending, f.ours, f.pending = nil, -1, nil, false, nil, nil
}

func (f *feeder) limits() feeding.Limits {
	return feeding.Limits{
		RunLimits: protocol.RunLimits{Entries: f.params.Feeds, Bytes: math.MaxInt32}, Part: framing,
		Place: framing,
	}
}

func (f *feeder) quota() feeding.Quota {
	return feeding.Quota{Range: max(f.params.Queued/len(f.plan.Ranges), 1), All: f.params.Queued}
}

// read reads a piece of a range, if one needs it.
func (f *feeder) read() bool {
	from := f.n(len(f.plan.Ranges))
	for k := range f.plan.Ranges {
		i := (from + k) % len(f.plan.Ranges)
		f.rested[i] = f.merge.Rests(i, f.rested[i], f.quota())
		if f.rested[i] {
			if !f.merge.Exhausted(i) {
				f.act("range rests")
			}
			continue
		}
		p, position := f.of(i), f.merge.Position(i)
		if p.begin > position {
			if f.number > 0 {
				f.act("deleted before it was filled")
				f.again()
				return true
			}
			f.stop("documents were deleted before they were fed", p.begin > p.within.From)
			return true
		}
		if f.add(i, p, position) {
			return true
		}
	}
	return false
}

// add queues some of what a range has next.
func (f *feeder) add(number int, p *part, position int64) bool {
	most := 1 + f.n(4)
	var documents []feeding.Document
	behind := position
	for o := position; o < p.visible && most > 0; o++ {
		if p.gap(o) && !p.marker(o) {
			continue
		}
		most--
		behind = o + 1
		if !p.gap(o) && o < f.plan.Ranges[number].To {
			documents = append(documents, feeding.Document{Entry: p.entries[o], Rejected: f.rejects(p.entries[o].Content)})
		}
	}
	if to := f.plan.Ranges[number].To; behind == position && p.empty(position, to) && f.chance(1, 4) { // nothing came for a while
		behind = to
		f.act("barren to feed")
	}
	if behind == position {
		return false
	}
	before := f.merge.Queued()
	f.merge.Add(number, documents, behind)
	f.largest = max(f.largest, f.merge.Queued()-before)
	f.checkQueue(number)
	return true
}

// seal makes records of what is queued, and has them appended. It does not always wait until one is full.
func (f *feeder) seal() bool {
	all := f.merge.Complete() || f.chance(1, 3)
	for len(f.letters) < recordsAtOnce {
		full := f.merge.Fill()
		if !full && !all {
			break
		}
		record, ok := f.merge.Sealed()
		if !ok {
			break
		}
		r := *record
		r.Header, r.Parts, r.Entries = f.header(), slices.Clone(record.Parts), slices.Clone(record.Entries)
		f.letters = append(f.letters, letter{record: f.recordOf(&r)})
		f.ledger.Frame(&r)
		for _, part := range r.Parts {
			f.through[f.rangeOf(part.Source)] = part.Through
		}
		f.merge.Begin()
		if !full {
			break
		}
	}
	f.sending = len(f.letters) > 0
	return f.sending
}

// recordOf is the journal record of what the merge made.
func (f *feeder) recordOf(r *index.Feed) index.Record {
	if f.number == 0 {
		return r
	}
	return feeding.FillOf(f.plan, f.number, r, f.merge.Rejected())
}

func (f *feeder) rangeOf(source entry.Source) int {
	return slices.IndexFunc(f.plan.Ranges, func(r protocol.Range) bool { return r.Source == source })
}

// send appends what was sealed when the append before is over, an earlier one is found in the replica, and there is
// room.
func (f *feeder) send() bool {
	_, pending := f.ledger.Next()
	switch {
	case f.ours != nil:
		return false
	case pending > 1:
		return f.find()
	}
	if f.number == 0 {
		switch f.ledger.Room(f.taken(), f.params.MostHeld) {
		case feeding.Crowded:
			f.act("feeder waits for room")
			f.checkCrowded()
			return false
		case feeding.Unfound:
			return f.find()
		case feeding.Roomy:
		}
	}
	f.sent, f.sending = f.ledger.Append(), false
	f.put()
	f.letters = nil
	return true
}

// put sends an append, or sends it once more. Records of one append land in their order.
func (f *feeder) put() {
	a := &appending{letters: f.letters}
	if f.ours != nil {
		a.letters = f.ours.letters
	}
	a.left = len(a.letters)
	late := 0
	if f.mishap(24) {
		late, a.failed = f.late(), true
	}
	for i, l := range a.letters {
		f.air = append(f.air, flight{letter: l, by: f, to: a, number: i, after: late})
		if f.tracing {
			f.note("f%d sends %s", f.id, f.describe(l.record))
		}
	}
	f.ours = a
}

// find looks for an append in the replica.
func (f *feeder) find() bool {
	last, pending := f.ledger.Next()
	if pending == 0 || f.member.replica.Next() <= last {
		return false
	}
	switch err := f.ledger.Find(f.taken()); {
	case errors.Is(err, feeding.ErrUntaken):
		if f.untaken++; !protocol.AppendAgain(f.untaken) {
			f.bad("f%d gives up: the replica takes nothing of it", f.id)
		}
		f.act("feed not taken")
		f.note("f%d begins again: %v", f.id, err)
		f.again()
	case err != nil:
		f.act("feeder overtaken")
		f.note("f%d begins again: %v", f.id, err)
		f.again()
	default:
		f.pending = f.pending[1:]
	}
	return true
}

// finish ends when all is found.
func (f *feeder) finish() bool {
	if f.ours != nil {
		return false
	}
	if _, pending := f.ledger.Next(); pending > 0 {
		return f.find()
	}
	f.member.fed = true
	f.act("fed to the end")
	f.note("f%d has fed all", f.id)
	f.end()
	return true
}

// landFeed notes the verdicts of a feed, and holds them against the order of places.
func (w *World) landFeed(r *index.Feed, verdicts []index.Verdict) {
	for i := range verdicts {
		e := &r.Entries[verdicts[i].Position.Entry]
		w.judged(w.parts[r.Parts[e.Part].Source.Partition], &verdicts[i])
	}
	for i := range r.Parts {
		w.checkFed(w.parts[r.Parts[i].Source.Partition])
	}
}
