package sim

import (
	"bytes"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/naive"
)

// checkBounds: every replica switches at the same journal offset, and has no more documents than are allowed from
// there on.
func (w *World) checkBounds(m *member) {
	next := m.replica.Next()
	want, got := w.boundAt(next), m.replica.Bounds()
	if got.Number != want.Number || got.Number > 0 && !bytes.Equal(got.Text, want.Text) {
		w.bad("member %d has bounds %d at j%d (%s), by the journal they are %d (%s)", m.number, got.Number, next, got.Text,
			want.Number, want.Text)
	}
	if len(w.names) > min(index.MostLeaving, index.MostReentries) {
		return // more may have to leave than one turn takes
	}
	if n := m.replica.Stats().Documents; want.count > 0 && n > want.count {
		w.bad("member %d remembers %d documents at j%d, and duplicates.remember.documents is %d", m.number, n, next, want.count)
	}
}

// checkErased: nothing is a copy of what was erased.
func (w *World) checkErased(p *part, v *index.Verdict) {
	if at, is := w.erased[v.Match.Position]; is && v.Matched() && at < v.Position.Offset {
		w.bad("%s is a copy of j%d/%d, which was erased at j%d", p.name(v.Offset), v.Match.Position.Offset,
			v.Match.Position.Entry, at)
	}
}

// checkErasedBytes: no segment of a snapshot, or in a file, has the id of what was erased before.
func (w *World) checkErasedBytes(next int64, where string, segments [][]byte) {
	left := map[string]bool{}
	for _, of := range w.names {
		at, is := w.erased[of.position]
		left[of.id] = left[of.id] || !is || at >= next
	}
	for id, is := range left {
		for _, segment := range segments {
			if !is && bytes.Contains(segment, []byte(id)) {
				w.bad("%s at j%d has %s, which was erased", where, next, id)
			}
		}
	}
}

// checkAudits: whoever reads the journal from its beginning, or from any snapshot, as an audit does, comes to the
// same verdicts.
func (w *World) checkAudits() {
	if !w.params.Changes && !w.params.Erasures || w.failure != "" {
		return
	}
	if w.begin > 0 {
		w.checkGap()
	}
	for i := range w.snapshots {
		s := &w.snapshots[i]
		if s.damaged || s.next < w.begin {
			continue
		}
		replica, err := s.restore(w, nil)
		if err != nil {
			w.bad("restore j%d: %v", s.next, err)
			return
		}
		w.audit(naive.Resume(w.index, []byte(settings), w.ours, replica), s.next)
		w.act("audited from a snapshot")
	}
}

// audit reads the journal on with a twin.
func (w *World) audit(twin *naive.Twin, from int64) {
	for i := from; i < int64(len(w.journal)) && w.failure == ""; i++ {
		l := &w.journal[i]
		w.checkVerdicts("an audit from j%d", from, l, twin.Apply(l.at, l.record))
	}
}

// checkGap: a replica that begins behind what was trimmed, without a snapshot, has the bounds in force once it knows
// any, unless they were changed where nobody can read.
func (w *World) checkGap() {
	r, err := index.NewReplica(w.index, w.ours)
	if err != nil {
		w.bad("build a replica: %v", err)
		return
	}
	known := false
	for i := w.begin; i < int64(len(w.journal)); i++ {
		l := &w.journal[i]
		if l.record == nil {
			r.Skip(l.at)
			continue
		}
		r.Apply(l.at, l.record)
		if c, ok := l.record.(*index.Checkpoint); ok && !known {
			if known = c.Fingerprint == w.ours; w.boundAt(c.Offset).Number != w.boundAt(w.begin).Number && c.Offset < w.begin {
				return
			}
		}
		if want, got := w.boundAt(i+1), r.Bounds(); known && got.Number != want.Number {
			w.bad("who begins at j%d without a snapshot has bounds %d behind j%d, by the journal they are %d", w.begin,
				got.Number, i, want.Number)
			return
		}
	}
	if known {
		w.act("read behind what was trimmed")
	}
}
