package protocol

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/unecho/unecho/index"
)

const (
	// Quiet is how long a session waits for documents before it announces what it has committed.
	Quiet = time.Second
	// fedPause is how long a poll lasts while a partition waits to be fed further.
	fedPause = 20 * time.Millisecond
	// overdue is how long a partition may be fed without being worth a poll. A slow feed should not hold documents up.
	overdue = 500 * time.Millisecond
	// EmptyPatience is how long nothing comes of a range before somebody asks whether anything is left of it.
	EmptyPatience = 3 * time.Second
)

// Member leads a session with the partitions that it has (design 5). It asks for one step after the other. First it
// records what was passed on while the journal was away. Then it polls. It finishes the batch of a poll before it polls
// again. The caller does what Next says, and answers by the method that is named at the Want. It calls Give when
// partitions come, and Take when they go, between any two steps.
type Member struct {
	intake *Intake
	held   int // verdicts that the replicas of a backfill hold at most

	Holdings

	batch    *Batch
	unsigned bool // the batch was polled, and is to be signed
	rewinds  bool // the last recording was cut short
	stale    bool // what was polled is to be polled again
	failed   error

	quiet       bool      // the last poll brought nothing, and the bases are not announced since
	dry         bool      // the last poll brought nothing, and nobody has asked what is left since
	due         bool      // a batch is over, and bases that are due are not announced since
	lastRecords time.Time // when a poll brought records, or somebody asked what is left
	later       time.Time // when recording is tried again
}

// NewMember leads a session that has no partition yet. It holds at most so many verdicts, and keeps the intake.
func NewMember(mode Mode, intake *Intake, held int, now time.Time) *Member {
	return &Member{intake: intake, held: held, Holdings: Holdings{mode: mode, named: map[PartitionName]*Assignment{}}, lastRecords: now}
}

// Looks says that Next and Fetched need the replica. Where they do not, it may be nil.
func (m *Member) Looks() bool {
	if m.batch != nil {
		return m.batch.wants == WantVerdicts
	}
	return m.mode.Finite()
}

// Next says what is next. It takes the verdicts that the replica holds.
func (m *Member) Next(now time.Time, j Journal) Step {
	switch {
	case m.failed != nil:
		return Step{Want: Rebuild, Why: m.failed}
	case m.batch != nil:
		return m.lead(j)
	}
	if of := m.unannounced(j); len(of) > 0 {
		return Step{Want: WantAnnouncements, Of: of}
	}
	if of := m.emptyToTheEnd(now, j); len(of) > 0 {
		return Step{Want: WantEnds, Of: of}
	}
	if m.revoked || m.stale {
		return Step{Want: WantAbort}
	}
	if of := m.owing(); len(of) > 0 && !j.Away && !now.Before(m.later) {
		return Step{Want: WantUnjournaled, Of: of, Rewinds: m.rewinds, Records: m.intake.most} // nothing is produced: outputs need no smaller polls
	}
	return m.poll(now, j)
}

// lead says what the batch wants. When partitions were taken away the batch is aborted, at once or by its transaction.
func (m *Member) lead(j Journal) Step {
	b := m.batch
	if m.revoked {
		b.Revoked()
		m.unsigned = false
	}
	if m.unsigned {
		return Step{Want: WantSigned, Batch: b}
	}
	if b.Wants() == WantVerdicts {
		a, err := b.Judge(j.Replica)
		switch {
		case errors.Is(err, ErrMoved):
			return Step{Want: Rebuild, Batch: b, Why: err, Moved: a}
		case err != nil:
			return Step{Want: Rebuild, Batch: b, Why: err}
		}
	}
	return Step{Want: b.Wants(), Batch: b}
}

// unannounced lists the assignments whose base is to be announced: after a poll that brought nothing all that the journal
// does not know, after a batch those that are due, which only a backfill has. While the journal is away that waits.
func (m *Member) unannounced(j Journal) (of []*Assignment) {
	switch {
	case j.Away:
		m.quiet, m.due = false, false
	case m.quiet:
		of = m.Unannounced()
		m.quiet = len(of) > 0
	case m.due:
		lead := m.ahead()
		for _, a := range m.assigned {
			if a.Mode.Due(a, lead) {
				of = append(of, a)
			}
		}
		m.due = len(of) > 0
	}
	return of
}

// Announced answers WantAnnouncements. Appended is false where the journal did not answer.
func (m *Member) Announced(of []*Assignment, appended bool) {
	m.quiet, m.due = false, false
	for _, a := range of {
		if appended {
			a.Announced = a.Journaled()
		}
	}
}

// emptyToTheEnd lists the assignments that have not reached the end of their range, though all of it may be forwarded, if
// nothing has come for a while. Compaction may have deleted the rest, and the client says nothing of what it skips.
func (m *Member) emptyToTheEnd(now time.Time, j Journal) (of []*Assignment) {
	if !m.dry || now.Sub(m.lastRecords) < EmptyPatience {
		return nil
	}
	for _, a := range m.assigned {
		if a.Base < a.Range.To && a.Mode.Reach(a, j.Replica) == a.Range.To {
			of = append(of, a)
		}
	}
	if len(of) == 0 {
		m.Skipped(now)
	}
	return of
}

// Skipped answers WantEnds with the assignments whose end is committed.
func (m *Member) Skipped(now time.Time, of ...*Assignment) {
	m.dry, m.lastRecords = false, now
	for _, a := range of {
		a.Committed(a.Range.To)
	}
}

// Later answers WantUnjournaled where nothing can be polled now.
func (m *Member) Later(now time.Time) { m.later = now.Add(Quiet) }

// poll chooses the partitions that are worth it.
func (m *Member) poll(now time.Time, j Journal) Step {
	s := Step{Want: WantRecords, Of: m.assigned, Records: m.intake.Records(), Wait: Quiet}
	if !m.mode.Finite() {
		return s
	}
	s.Of = nil
	lead, within := m.ahead(), int64(0)
	for _, a := range m.assigned {
		reach := a.Mode.Reach(a, j.Replica)
		switch {
		case a.Mode.Worth(a, reach, lead), a.overdue(reach > a.Base, now):
			s.Of, within = append(s.Of, a), within+reach-a.Base
			a.fed = time.Time{}
		case a.Base < a.Range.To:
			s.Wait = fedPause
		}
	}
	s.Records = int(max(1, min(within, int64(s.Records))))
	return s
}

// ahead is how many offsets a partition must be ahead, so that a poll of it is worth its cost.
func (m *Member) ahead() int { return m.mode.Lead(m.intake.Records(), m.held) }

// overdue says whether a partition was fed, and not polled for it, for too long.
func (a *Assignment) overdue(fed bool, now time.Time) bool {
	switch {
	case !fed:
		a.fed = time.Time{}
	case a.fed.IsZero():
		a.fed = now
	default:
		return now.Sub(a.fed) >= overdue
	}
	return false
}

// Fetched answers WantRecords and WantUnjournaled, and returns the batch that begins, or nil. A recording never goes
// beyond the base.
func (m *Member) Fetched(now time.Time, j Journal, f Fetch, recording bool) *Batch {
	switch {
	case recording && len(f.Groups) > 0:
		m.rewinds = false
		m.batch, m.unsigned = NewRecording(f.Groups, f.Size, m.intake), true
	case recording:
	case f.Records == 0:
		m.quiet, m.dry = f.Waited, true
		return nil
	case f.Stray:
		m.stale = true
	case len(f.Groups) == 0: // all of it was polled before
	case !j.Away && slices.ContainsFunc(f.Groups, func(g Group) bool { return g.HasUnjournaled() }): // that is recorded first
		m.stale = true
	default:
		m.begin(j, f)
	}
	m.lastRecords, m.dry = now, false
	return m.batch
}

// begin begins the batch, unless something was deleted before it: the steps of an assignment count what is gone.
func (m *Member) begin(j Journal, f Fetch) {
	for i := range f.Groups {
		if g := &f.Groups[i]; g.Mode.Overtaken(g.Assignment, g.Begins) {
			m.failed = fmt.Errorf("%s begins at %d, and was read up to %d", g.Name(), g.Begins, g.Base)
			return
		}
	}
	m.batch, m.unsigned = NewBatch(f.Groups, f.Size, m.intake), true
	m.batch.Recall(j.Replica)
}

// Signed answers WantSigned.
func (m *Member) Signed() { m.unsigned = false }

// MayBypass says that Bypass can answer.
func (m *Member) MayBypass() bool { return m.batch.records || m.batch.MayBypass() }

// Bypass answers WantEntries and WantReached while the journal is away. What was to be recorded is recorded later.
func (m *Member) Bypass() {
	if m.batch.records {
		m.batch.wants = Done
		return
	}
	m.batch.Bypass()
}

// Produced answers WantOutputs: refused is nil if the outputs took everything.
func (m *Member) Produced(refused *Refusal) { m.batch.Produced(refused, m.revoked) }

// Commit is what a transaction commits of a partition. It is not ok if the partition is not ours any more.
func (m *Member) Commit(name PartitionName) (offset int64, metadata string, ok bool) {
	a := m.Find(name)
	if a == nil {
		return 0, "", false
	}
	return NewGroup(m.batch.Groups, a, a.Base).End, a.Mode.Metadata(a), true
}

// Aborted answers WantAbort.
func (m *Member) Aborted(h index.Header) Answer {
	m.revoked, m.stale = false, false
	if m.batch == nil {
		return Again
	}
	return m.batch.Aborted(h)
}

// Rested answers Done.
func (m *Member) Rested() {
	m.rewinds = m.batch.records && !m.batch.inJournal
	m.batch, m.due = nil, true
}
