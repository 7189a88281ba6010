package protocol

import "github.com/unecho/unecho/index"

// backfill is the mode of a group that replays the ranges of a plan (decision 45).
type backfill struct{ plan *Plan }

// First is where the range begins.
func (m backfill) First(f *Findings) int64 {
	r, _ := m.plan.Of(f.Source)
	return r.From
}

// Adjust has each partition know one epoch: with a second one the order of the documents would be lost.
func (m backfill) Adjust(f *Findings, d Decision) Decision {
	r, _ := m.plan.Of(f.Source)
	switch {
	case d.Action == Begin && d.Reason == New && r.From < f.Begin && r.From < r.To:
		return Decision{Action: Refuse, Reason: Deleted}
	case d.Action == Begin && d.Reason == New:
	case d.Action == Begin && d.Reason == Deleted && f.Committed.Offset >= r.To: // all of the range was read
		d = f.goOn()
	case d.Action == Begin:
		return Decision{Action: Refuse, Reason: d.Reason}
	}
	d.Assignment.Range = r
	return d
}

// Metadata counts the verdicts so far.
func (backfill) Metadata(a *Assignment) string {
	t := a.Tally
	t.Add(a.Pending)
	return marked(BackfillMetadata(a.Epoch, a.Start, t), a.New)
}

func (backfill) Finite() bool { return true }

// Fixed is the same for all members, because what is rejected has no entry, and all feeders must bring the same entries.
func (m backfill) Fixed() (at int64, ok bool) { return m.plan.Fixed, true }

// Reads leaves out partitions that the plan has not. They are in the group's care because the topic has them.
func (m backfill) Reads(tp *TopicPartition) (bool, error) {
	if _, ok := m.plan.Of(tp.Source); ok {
		return true, nil
	}
	for _, r := range m.plan.Ranges {
		if r.Topic == tp.Topic && r.Source.Partition == tp.Source.Partition {
			return false, ErrRecreated
		}
	}
	return false, nil
}

// Partitions leaves out those that were added since: they are not replayed.
func (m backfill) Partitions(topic string, _ int) (n int) {
	for _, r := range m.plan.Ranges {
		if r.Topic == topic {
			n++
		}
	}
	return n
}

func (m backfill) Fed() bool { return m.plan.Order == ByPlace }

func (backfill) MayBypass() bool { return false }

// Reach is what was fed, and never beyond the end of the range.
func (m backfill) Reach(a *Assignment, r *index.Replica) int64 {
	if m.Fed() {
		return max(a.Base, min(r.Fed(a.Source).Through, a.Range.To))
	}
	return max(a.Base, a.Range.To)
}

// Lead is such that while the feeder waits because most verdicts are held, some partition has more than that: nothing
// waits for each other.
func (m backfill) Lead(records, held int) int {
	return max(1, min(records, held/(2*max(1, len(m.plan.Ranges)))))
}

// Worth says so only if a whole poll of lead records would lie within the reach, or if nothing more will be fed: what is
// polled beyond the reach is read again.
func (backfill) Worth(a *Assignment, reach int64, lead int) bool {
	return reach > a.Base && (reach == a.Range.To || reach-a.Base >= int64(lead))
}

func (m backfill) Due(a *Assignment, lead int) bool {
	return m.Fed() && (a.Base-a.Announced > int64(lead)/2 || a.Unannounced() && a.Base == a.Range.To)
}

// Overtaken is no range that is forwarded to its end: nothing of it is read any more.
func (backfill) Overtaken(a *Assignment, begin int64) bool {
	return begin > a.Base && a.Base < a.Range.To
}

// count counts the documents of a group by what is produced of them.
func (g *Group) count() (t Tally) {
	for d := range g.Documents {
		switch {
		case g.GoesToRejected(d):
			t.Rejected++
		case !d.Judged:
			t.Unchecked++
		case d.Verdict.Reemitted:
			t.Reemitted++
		case d.Verdict.Unique():
			t.Unique++
		default:
			t.Duplicate++
		}
	}
	return t
}
