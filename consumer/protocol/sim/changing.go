package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/sketch"
)

// VaryChanged draws the kind of a history in which bounds are changed and documents erased: of a live group, of one
// that is filled, or of a backfill. Old documents may lie in files.
func VaryChanged(seed uint64) Params {
	c := random(seed ^ 0x6368_616e_6765)
	p := []func(uint64) Params{Vary, Vary, VaryFilled, VaryBackfill}[c.n(4)](seed)
	p.Changes, p.Erasures = c.n(4) > 0, c.n(3) > 0
	p.Snapshots = p.Snapshots || c.n(2) == 0
	p.Files = c.n(2) == 0
	p.KeepAll = p.KeepAll || p.Files && c.n(2) == 0
	if p.Files && c.n(4) == 0 {
		p.References = 1 + c.n(4)
	}
	return p
}

// changes are what people do to settings and to what is remembered.
type changes struct {
	bounds  []bound // bounds that were, the last is
	bounded bool    // the window has been, or how many are met: what was judged may come out as unique again
	changed bool    // anything of it has happened
	erased  map[entry.Position]int64
	names   []name
	latest  *index.Erase // that somebody has appended
	written int          // documents so far
}

// bound are bounds and the journal offset of the record that put them in force.
type bound struct {
	at int64
	index.Bounds
	count int
}

// name is the id of a document that the journal brought at a position.
type name struct {
	position entry.Position
	id       string
}

// far is what is added to a content for another one that is near to it: alike at some thresholds.
const far = 8

func (w *World) beginChanges() {
	w.changes = changes{
		bounds: []bound{{at: -1, count: w.params.Count}}, bounded: w.params.Count > 0 ||
			w.params.Age > 0 || w.params.References > 0, erased: map[entry.Position]int64{},
	}
}

// named draws a document that has an id, and may be near to others.
func (w *World) named(offset int64, content byte) entry.Entry {
	w.written++
	e := entry.Entry{
		Offset: offset, Time: w.now, Content: uint64(content), Kind: entry.Sketch,
		Keys:     []byte{content, content, content, content},
		Evidence: slices.Repeat([]byte{content}, w.index.Duplicates.Slots*sketch.CodeBits/8), ID: fmt.Appendf(nil, "id-%05d", w.written),
		Digest: make([]byte, entry.DigestBytes),
	}
	if w.n(4) == 0 {
		e.Content += far
		e.Digest[0] = 1    // an identical one is closer
		for i := range 3 { // of 16, with two codes each: their similarity is 0.8
			e.Evidence[i] = ^content
		}
	}
	return e
}

// stepChange has somebody change the bounds, who may have looked a while ago, or has other settings.
func (w *World) stepChange() bool {
	n := len(w.bounds)
	seen := w.bounds[max(0, n-1-w.n(2))]
	to := &index.SettingsChange{Header: w.header(), Bounds: index.Bounds{Number: seen.Number + 1, Text: w.anyBounds()}}
	if w.n(12) == 0 {
		to.Fingerprint++
	}
	w.post(to, nil, w.late())
	return true
}

// anyBounds draws bounds.
func (w *World) anyBounds() []byte {
	p := w.index
	p.Duplicates.Remember.Documents = w.n(2) * (1 + w.n(6))
	p.Duplicates.Remember.Age = time.Duration(max(0, w.n(300)-200)) * time.Millisecond
	p.Duplicates.Remember.ReemitEvery = time.Duration(max(0, w.n(300)-200)) * time.Millisecond
	p.Duplicates.Remember.Refresh = []string{"first", "last"}[w.n(2)]
	p.Duplicates.CompareCopies = w.n(2) == 1
	p.Duplicates.Threshold = []float64{0.6, 0.8, 0.95}[w.n(3)]
	p.Duplicates.MaxCandidates = 1 + w.n(8)
	return textOf(p)
}

// textOf returns the bounds of p as a text.
func textOf(p index.Params) []byte {
	return index.BoundsOf(setting.Canonical("", map[string]any{"": p}))
}

// landChange: the next number counts, whoever is later has lost.
func (w *World) landChange(at int64, r *index.SettingsChange, applied bool) {
	now := w.bounds[len(w.bounds)-1]
	next := r.Fingerprint == w.ours && r.Number == now.Number+1
	if applied != next {
		w.bad("bounds %d behind %d: taken %v", r.Number, now.Number, applied)
	}
	if !next {
		w.act("bounds too late")
		return
	}
	p, err := w.index.With(r.Text)
	if err != nil {
		w.bad("bounds %s: %v", r.Text, err)
		return
	}
	w.bounds = append(w.bounds, bound{at, r.Bounds, p.Duplicates.Remember.Documents})
	w.bounded = w.bounded || p.Duplicates.Remember.Documents > 0 || p.Duplicates.Remember.Age > 0
	w.changed = true
	w.act("bounds changed")
}

// boundAt are the bounds in force when all below an offset is applied.
func (w *World) boundAt(next int64) bound {
	i := len(w.bounds) - 1
	for w.bounds[i].at >= next {
		i--
	}
	return w.bounds[i]
}

// stepErase has somebody erase documents: some that were judged, now and then what stands nowhere, and the same once
// more.
func (w *World) stepErase() bool {
	if len(w.names) == 0 {
		return false
	}
	rec := w.latest
	if rec == nil || w.n(4) > 0 {
		rec = &index.Erase{Header: w.header()}
		for range 1 + w.n(3) {
			target := w.names[w.n(len(w.names))].position
			if w.n(8) == 0 {
				target.Offset += int64(w.n(3))
			}
			rec.Targets = append(rec.Targets, target)
		}
		if w.n(12) == 0 {
			rec.Fingerprint++
		}
		w.latest = rec
	}
	w.post(rec, nil, w.late())
	return true
}

// landErase: what is erased is dead, and nothing is a copy of it any more.
func (w *World) landErase(at int64, r *index.Erase) {
	if r.Fingerprint != w.ours {
		return
	}
	for _, target := range r.Targets {
		if target.Offset >= at { // nothing stands there yet
			continue
		}
		if _, again := w.erased[target]; again {
			w.act("erased again")
			continue
		}
		w.erased[target] = at
		for i := range w.documents {
			if d := &w.documents[i]; d.position == target {
				d.dead = true
				w.act("erased")
			}
		}
	}
	w.changed = true
}

// nameDocuments notes what a record of the journal brings.
func (w *World) nameDocuments(at int64, rec index.Record) {
	for i, e := range entriesOf(rec) {
		if len(e.ID) > 0 {
			w.names = append(w.names, name{entry.Position{Offset: at, Entry: int32(i)}, string(e.ID)})
		}
	}
}

// entriesOf are those of a record of any kind.
func entriesOf(rec index.Record) (of []*entry.Entry) {
	fed := func(entries []index.FedEntry) {
		for i := range entries {
			of = append(of, &entries[i].Entry)
		}
	}
	switch r := rec.(type) {
	case *index.Run:
		for i := range r.Entries {
			of = append(of, &r.Entries[i])
		}
	case *index.Feed:
		fed(r.Entries)
	case *index.Fill:
		fed(r.Entries)
	}
	return of
}

// changes says that a record has changed bounds, or erased something.
func (l *logged) changes() bool {
	switch l.record.(type) {
	case *index.SettingsChange, *index.Erase:
		return l.applied
	}
	return false
}
