package sim

import (
	"fmt"
	"slices"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/window"
)

// member is one process: a replica, and the sessions that look at it.
type member struct {
	number  int
	replica *index.Replica
	alive   bool
	ready   bool  // it has caught up once
	slow    bool  // it applies little, while there are faults
	began   int64 // the journal offset it was restored at
	sick    int64 // the replica went wrong there; -1: it did not
	routing string

	feeder *feeder // of a backfill, or of a fill
	fed    bool    // all of it

	marking uint64         // number of the mark behind which its keeper captures; 0: of none
	taken   *index.Capture // to be published
	marked  []claim        // what it could claim of the marks it has applied
	writer  *snapshot.Writer
	files   *drawer       // nil: all is in memory
	wanted  []window.Want // for the record that is applied in part; empty: none is
}

// claim is a replica's hash when it had applied a mark.
type claim struct {
	offset int64 // of the journal: the next one to apply
	hash   uint64
	bounds index.Bounds // in force
}

const snapshotsKept = 3

// startMember starts a process of that name. The one before may live on.
func (w *World) startMember(number int) {
	m := w.newMember(number)
	if m == nil {
		return
	}
	w.members[number] = m
	w.note("member %d starts at j%d", number, m.replica.Next())
	for k := range w.params.Sessions {
		w.openSession(m, number*w.params.Sessions+k)
	}
}

// newMember restores a replica from the newest snapshot that is whole, sometimes from another, or begins with nothing.
func (w *World) newMember(number int) *member {
	m := &member{number: number, alive: true, sick: -1, slow: w.n(4) == 0, routing: w.wanted()}
	m.files = openDrawer(w, number)
	if w.begin > 0 || len(w.snapshots) > 0 && !w.chance(1, 4) {
		m.replica = w.restore(m)
	}
	if m.replica == nil {
		if w.begin > 0 {
			w.bad("the journal begins at j%d, and no whole snapshot reaches so far", w.begin)
			return nil
		}
		r, err := index.NewReplica(w.index, w.ours)
		if err != nil {
			w.bad("build a replica: %v", err)
			return nil
		}
		m.replica = r
	}
	m.began = m.replica.Next()
	m.writer = w.newWriter(m)
	w.processes = append(w.processes, m)
	return m
}

func (w *World) restore(m *member) *index.Replica {
	var beside snapshot.Files // not a nil *drawer
	if m.files != nil {
		beside = m.files
	}
	for i := len(w.snapshots) - 1; i >= 0; i-- {
		s := &w.snapshots[i]
		if s.damaged || s.next < w.begin || i > 0 && w.snapshots[i-1].next >= w.begin && !w.snapshots[i-1].damaged &&
			w.chance(1, 4) {
			continue
		}
		r, err := s.restore(w, beside)
		if err != nil {
			w.bad("restore j%d: %v", s.next, err)
			return nil
		}
		w.act("restored")
		return r
	}
	return nil
}

// process is any of those that live, or nil.
func (w *World) process() *member {
	if len(w.processes) == 0 {
		return nil
	}
	return w.processes[w.n(len(w.processes))]
}

// stepReplica applies some records.
func (w *World) stepReplica() bool {
	m := w.process()
	switch {
	case m == nil:
		return false
	case m.replica.Next() < w.begin:
		w.act("overtaken by trimming")
		w.kill(m)
		return true
	case w.misrouted(m) && (!w.faults || w.chance(1, 3)):
		w.act("ended by a routing")
		w.endMember(m)
		return true
	case m.slow && m.ready && w.faults && !w.chance(1, 10):
		return false
	}
	did := false
	for n := 1 + w.n(4); n > 0 && m.behind(w); n-- {
		w.apply(m)
		did = true
	}
	if !m.behind(w) && !m.ready {
		did = true
		m.ready = w.belongs(m)
	}
	return did
}

func (m *member) behind(w *World) bool { return m.replica.Next() < int64(len(w.journal)) }

// apply applies the next record, or goes on with it.
func (w *World) apply(m *member) {
	switch {
	case !m.alive && m.files != nil: // it has lost a file
		return
	case len(m.wanted) > 0:
		give(w, m)
		return
	}
	if m.files != nil {
		if waitForFiles(w, m); !m.alive {
			return
		}
	}
	l := &w.journal[m.replica.Next()]
	rec := l.record
	if w.params.Files {
		m.replica.Reshape(segmentDocuments, 1<<14)
		m.replica.Files().BlocksOf(sizes(w))
	}
	if m.files != nil && w.chance(1, 2) {
		if readAhead(w, m, rec); !m.alive {
			return
		}
	}
	if m == w.witness && w.faults && m.sick < 0 && (len(l.verdicts) > 0 || l.changes()) && w.chance(1, 16) {
		rec = garbled(rec)
		m.sick = l.at.Offset
		w.act("gone wrong")
		w.note("the witness reads j%d wrong", l.at.Offset)
	}
	var effect index.Effect
	if rec == nil {
		m.replica.Skip(l.at)
	} else {
		effect = m.replica.Apply(l.at, rec)
	}
	w.applied(m, effect)
}

// applied holds what a record does against the twin and the other replicas.
func (w *World) applied(m *member, effect index.Effect) {
	if m.wanted = effect.Wanted; len(m.wanted) > 0 {
		w.act("applied in part")
		return
	}
	l := &w.journal[m.replica.Next()-1]
	if m.sick < 0 {
		w.checkEffect(m, l, &effect)
	}
	switch rec := l.record.(type) {
	case *index.Erase:
		if m.files != nil {
			tidyErased(w, m)
		}
	case *index.Checkpoint:
		w.checkClaim(m, l, rec, effect.Disputed)
	case *index.Mark:
		m.marked = append(m.marked, claim{m.replica.Next(), m.replica.Hash(), m.replica.Bounds()})
		if rec.Number == m.marking {
			m.marking = 0
			w.capture(m)
		}
	case nil:
		w.act("stray passed")
	}
}

// garbled is a record with other documents, other bounds, or other targets.
func garbled(rec index.Record) index.Record {
	switch r := rec.(type) {
	case *index.Run:
		wrong := *r
		wrong.Entries = slices.Clone(r.Entries)
		rec = &wrong
	case *index.Feed:
		wrong := *r
		wrong.Entries = slices.Clone(r.Entries)
		rec = &wrong
	case *index.SettingsChange:
		wrong := *r
		wrong.Text = []byte(`{"duplicates.remember.documents":"7","duplicates.remember.refresh":"first"}`)
		return &wrong
	case *index.Erase:
		wrong := *r
		wrong.Targets = append(slices.Clone(r.Targets), entry.Position{})
		return &wrong
	default:
		return rec
	}
	for _, e := range entriesOf(rec) {
		e.Content += 100
		e.Keys = []byte{0, 0, 0, byte(e.Offset)}
	}
	return rec
}

// stepKeeper begins a snapshot as a keeper does: with a mark, behind which the replica is captured. It begins another
// where that became unreadable, or was late.
func (w *World) stepKeeper() bool {
	if !w.params.Snapshots {
		return false
	}
	m := w.process()
	if m == nil || m.sick >= 0 {
		return false
	}
	if m.taken != nil {
		w.publish(m)
		return true
	}
	w.marks++
	m.marking = w.marks
	w.post(&index.Mark{Header: w.header(), Number: m.marking}, nil, 0)
	return true
}

// capture goes on with it, and publishes now or later.
func (w *World) capture(m *member) {
	if m.sick >= 0 {
		return
	}
	c := m.replica.Capture()
	if m.taken = &c; !w.params.Files || w.chance(1, 2) {
		w.publish(m)
	}
}

// publish goes on with it, as far as it can be seen: the snapshot is published, claimed by a checkpoint, and the journal
// trimmed.
func (w *World) publish(m *member) {
	n, c := len(w.snapshots), m.taken
	m.taken = nil
	if n > 0 && w.snapshots[n-1].next >= c.Next || !w.store(m, c) {
		return // the store refuses to bury a newer one
	}
	if w.chance(1, 4) {
		w.checkSnapshot(c.Hash)
	}
	if n := len(w.snapshots); n > snapshotsKept {
		w.snapshots = slices.Delete(w.snapshots, 0, n-snapshotsKept)
	}
	w.post(m.checkpoint(w, claim{c.Next, c.Hash, c.Bounds}), nil, w.late())
	w.note("member %d takes a snapshot at j%d", m.number, c.Next)
	w.act("snapshot")
	if w.chance(1, 2) {
		w.trim()
	}
}

func (m *member) checkpoint(w *World, about claim) *index.Checkpoint {
	return &index.Checkpoint{
		Header: w.header(), Member: fmt.Sprint("m", m.number), Offset: about.offset, Hash: about.hash,
		Settings: []byte(settings),
		Routes:   m.replica.Routes(), Bounds: about.bounds,
	}
}

func (w *World) trim() {
	var whole []int64
	for i := len(w.snapshots) - 1; i >= 0; i-- {
		if !w.snapshots[i].damaged {
			whole = append(whole, w.snapshots[i].next)
		}
	}
	if below, ok := protocol.Needless(whole); ok && below > w.begin {
		w.begin = below
		w.act("trimmed")
		w.note("the journal is trimmed below j%d", below)
	}
}

// stepDamage damages the newest snapshot: one is borne.
func (w *World) stepDamage() bool {
	n := len(w.snapshots)
	if n < 2 || w.snapshots[n-1].damaged || w.snapshots[n-2].damaged {
		return false
	}
	w.snapshots[n-1].damaged = true
	w.act("damaged")
	w.note("the snapshot at j%d is damaged", w.snapshots[n-1].next)
	return true
}

// stepClaim appends a checkpoint of a healthy replica about a mark, perhaps of long ago, or one that is made up.
func (w *World) stepClaim() bool {
	m := w.process()
	if m == nil || m.sick >= 0 || len(m.marked) == 0 {
		return false
	}
	about := m.marked[w.n(len(m.marked))]
	f := flight{letter: letter{record: m.checkpoint(w, about)}}
	if w.params.Divergence && w.chance(1, 4) {
		f.record.(*index.Checkpoint).Hash++
		f.lie = true
	}
	w.air = append(w.air, f)
	return true
}

// kill ends a process at once.
func (w *World) kill(m *member) {
	m.alive = false
	if m.feeder != nil {
		m.feeder.end()
	}
	if m.files != nil {
		succeeds(w, m.files.Close())
	}
	w.processes = slices.DeleteFunc(w.processes, func(o *member) bool { return o == m })
	for _, s := range w.sessions {
		if s.member == m {
			s.end()
		}
	}
	w.note("member %d is killed", m.number)
	if m == w.witness {
		w.witness = w.newMember(-1)
	}
}

// up says that the latest process of a name is at work.
func (w *World) up(number int) bool { return w.members[number] != nil && w.members[number].alive }
