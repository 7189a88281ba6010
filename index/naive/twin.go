package naive

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/text"
)

// Twin is the state after the records applied so far. It is not safe for concurrent use.
type Twin struct {
	params      index.Params // in force
	begun       index.Params // with the bounds that the journal was begun with
	bounds      index.Bounds // in force
	narrowing   bool         // the window may be beyond bounds that were narrowed
	shingling   text.Shingling
	settings    []byte
	fingerprint uint64 // in the headers of the journal's records

	settled bool // a settings record was read; the first one is in force
	ours    bool // the settings in force are those this twin was built with

	arrival, event int64 // clocks, ms since 1970; they never fall
	partitions     map[entry.Source]*partition
	window         queue
	fed            uint64 // entries that feeds brought
	popular        popular
	looked         looked // of the entry at hand
	limits         map[[3]int]int
	requests       []*request
	filled         index.Filled
	filledLast     int64 // from which the age counts of the newest document that a fill brought, ms since 1970
	stats          Stats
}

// New returns a twin that has applied nothing. settings is the canonical text of p and of the other settings that
// decide verdicts, fingerprint its fingerprint. p must be valid: New panics if the shingle setting does not parse.
func New(p index.Params, settings []byte, fingerprint uint64) *Twin {
	p, err := p.Planned()
	if err != nil {
		panic(fmt.Sprintf("naive: settings were not validated: %v", err))
	}
	shingling, err := p.Duplicates.Shingling()
	if err != nil {
		panic(fmt.Sprintf("naive: settings were not validated: %v", err))
	}
	return &Twin{
		params: p, begun: p, shingling: shingling.Ignoring(text.Ignored{}), settings: bytes.Clone(settings), fingerprint: fingerprint,
		partitions: map[entry.Source]*partition{}, window: queue{byKey: map[bandKey][]shelf{}},
		popular: popular{cells: map[uint32]int{}}, limits: map[[3]int]int{},
	}
}

// Apply applies the next record of the journal and returns the verdicts that it gave, in the order of its entries. The
// twin copies what it keeps of the record.
func (t *Twin) Apply(at index.Stamp, rec index.Record) []index.Verdict {
	applied, verdicts := t.apply(at, rec)
	if applied {
		t.stats.Applied++
	} else {
		t.stats.Ignored++
	}
	t.stats.Judged += len(verdicts)
	return verdicts
}

func (t *Twin) apply(at index.Stamp, rec index.Record) (applied bool, verdicts []index.Verdict) {
	switch r := rec.(type) {
	case *index.Settings:
		return t.fixSettings(at, r), nil
	case *index.Run:
		return t.run(at, r)
	case *index.Feed:
		return t.feed(at, r)
	case *index.Fill:
		return t.fill(at, r), nil
	case *index.Reposition:
		return t.reposition(at, r), nil
	case *index.Forget:
		return t.forget(at, r), nil
	case *index.Erase:
		return t.erase(at, r), nil
	case *index.SettingsChange:
		return t.change(at, r), nil
	case *index.Mark:
		return t.claim(at, r.Header), nil
	case *index.Checkpoint:
		t.adopt(r)
		return t.claim(at, r.Header), nil
	case *index.Accusation:
		return t.claim(at, r.Header), nil
	}
	return false, nil
}

// fixSettings puts the first settings in force. If they are not the twin's own, it can judge nothing, so from then on
// no record applies: see Ours.
func (t *Twin) fixSettings(at index.Stamp, r *index.Settings) bool {
	if t.settled {
		return false
	}
	t.settled = true
	t.begin(r.Text)
	if t.ours {
		t.arrive(at, r.Wall)
	}
	return t.ours
}

// begin compares the text that the journal was begun with.
func (t *Twin) begin(text []byte) {
	begun, err := t.begun.With(index.BoundsOf(text))
	if t.ours = err == nil && index.Same(text, t.settings); t.ours {
		begun.Duplicates.Signed, begun.Duplicates.Evidence = index.Signed{}, t.begun.Duplicates.Evidence
		t.fingerprint, t.params, t.begun = index.Fingerprint(text), begun, begun
		t.bounds = index.Bounds{Text: index.BoundsOf(text)}
	}
}

// inForce says whether a record was appended under the settings in force.
func (t *Twin) inForce(h index.Header) bool { return t.ours && h.Fingerprint == t.fingerprint }

func (t *Twin) run(at index.Stamp, r *index.Run) (bool, []index.Verdict) {
	p := t.partition(r.Source)
	if !t.inForce(r.Header) || r.Epoch == 0 || r.Epoch != p.epoch {
		return false, nil
	}
	t.arrive(at, r.Wall)
	p.raise(r.Base)
	var verdicts []index.Verdict
	for i := range r.Entries {
		e := &r.Entries[i]
		if _, held := p.held[e.Offset]; held || e.Offset < p.base {
			t.stats.Known++
			continue
		}
		t.happen(e.Time)
		v := t.judgeRequest(r.Source, e, entry.Position{Offset: at.Offset, Entry: int32(i)})
		if w := t.params.Duplicates.Remember; w.Clock == "event" {
			v.Late = lateBy(e.Time, t.event, w.Tolerance)
		}
		p.held[e.Offset] = v
		verdicts = append(verdicts, v)
	}
	return true, verdicts
}

func (t *Twin) reposition(at index.Stamp, r *index.Reposition) bool {
	p := t.partition(r.Source)
	if !t.inForce(r.Header) || uint64(r.Epoch) != uint64(p.epoch)+1 {
		return false
	}
	t.arrive(at, r.Wall)
	from := min(r.Offset, p.base)
	if !p.known {
		from = r.Offset // nothing of it was judged
	}
	for _, d := range t.window.documents {
		if d.source == r.Source && d.entry.Offset >= from {
			d.dead = true
		}
		if m := &d.emission; m.source == r.Source && m.offset >= from {
			m.void = true
		}
	}
	t.without(func(first *request) bool { return first.source == r.Source && first.verdict.Offset >= from })
	*p = partition{
		known: true, name: r.Name, epoch: r.Epoch, start: r.Offset, base: r.Offset, held: map[int64]index.Verdict{},
		fed: unfed(), filled: p.filled,
	}
	return true
}

func (t *Twin) forget(at index.Stamp, r *index.Forget) bool {
	if !t.inForce(r.Header) {
		return false
	}
	t.arrive(at, r.Wall)
	t.without(func(first *request) bool { return first.verdict.Position == r.Target })
	for _, p := range t.partitions {
		for offset, v := range p.held {
			if v.Position == r.Target {
				v.Forgotten = true
				p.held[offset] = v
				if !p.brought(offset) {
					t.takeBack(&v)
				}
			}
		}
	}
	for _, d := range t.window.documents {
		if d.position == r.Target && !t.partition(d.source).brought(d.entry.Offset) {
			d.dead = true
		}
	}
	return true
}

// takeBack makes the emission of a document void that its output refused: the next copy comes through instead.
func (t *Twin) takeBack(v *index.Verdict) {
	for _, d := range t.window.documents {
		if v.Reemitted && d.emission.position == v.Position {
			d.emission.void = true
		}
	}
}

// adopt takes the settings from a checkpoint if no settings record was read because the journal's head was trimmed.
func (t *Twin) adopt(r *index.Checkpoint) {
	if t.settled || len(r.Settings) == 0 || index.Fingerprint(r.Settings) != r.Fingerprint {
		return
	}
	t.settled = true
	if t.begin(r.Settings); t.ours && r.Bounds.Number > 0 {
		t.bind(r.Bounds)
	}
}

// claim applies a record about replicas, which only moves the clock.
func (t *Twin) claim(at index.Stamp, h index.Header) bool {
	if !t.inForce(h) {
		return false
	}
	t.arrive(at, h.Wall)
	return true
}

// arrive moves the arrival clock to the broker's time, but no further than the appender's own clock plus the tolerance.
func (t *Twin) arrive(at index.Stamp, wall int64) {
	t.arrival = max(t.arrival, min(at.LogAppendTime, t.tolerated(wall)))
}

// happen moves the event clock to the document's time, but no further than the arrival clock plus the tolerance.
func (t *Twin) happen(documentTime int64) {
	if t.params.Duplicates.Remember.Clock == "event" {
		t.event = max(t.event, min(documentTime, t.tolerated(t.arrival)))
	}
}

// lateBy is by how many seconds a time lies before another, or 0 if by no more than most. Times are ms since 1970, and
// one of 1970 or before is none.
func lateBy(at, before int64, most time.Duration) int64 {
	if at > 0 && before-at > most.Milliseconds() {
		return (before - at) / 1000
	}
	return 0
}

// now returns the stream time in ms, from which the age of documents is measured.
func (t *Twin) now() int64 {
	if t.params.Duplicates.Remember.Clock == "event" {
		return t.event
	}
	return t.arrival
}

// tolerated returns ms plus the tolerance, or the greatest number if that overflows.
func (t *Twin) tolerated(ms int64) int64 {
	tolerance := t.params.Duplicates.Remember.Tolerance.Milliseconds()
	if ms > math.MaxInt64-tolerance {
		return math.MaxInt64
	}
	return ms + tolerance
}

// Clock returns the two clocks in ms since 1970. The event clock stands still unless the window is measured by it.
func (t *Twin) Clock() (arrival, event int64) { return t.arrival, t.event }

// Ours says whether the settings in force are the twin's own. It is false before the first settings record, and always
// false after one with other settings.
func (t *Twin) Ours() bool { return t.ours }

// Fingerprint is that of the settings that the twin works by.
func (t *Twin) Fingerprint() uint64 { return t.fingerprint }

// Stats returns the counters.
func (t *Twin) Stats() Stats { return t.stats }

// State is what the journal says about one source partition.
type State struct {
	Known bool   // repositioned at least once
	Epoch uint32 // 0 for an unknown partition
	Start int64  // the offset at which the epoch began
	Base  int64  // all offsets below are forwarded and committed
	Held  map[int64]index.Verdict
}

// HeldAt returns the verdict that was given at a position of the journal, and the partition of its document, while the
// verdict is held.
func (t *Twin) HeldAt(at entry.Position) (entry.Source, index.Verdict, bool) {
	for source, p := range t.partitions {
		for _, v := range p.held {
			if v.Position == at {
				return source, v, true
			}
		}
	}
	return entry.Source{}, index.Verdict{}, false
}

// Fed returns how far a source partition was fed, and how many entries all feeds brought.
func (t *Twin) Fed(source entry.Source) (index.Fed, uint64) { return t.partition(source).fed, t.fed }

// Partition returns a copy of a partition's state, and whether the partition is known.
func (t *Twin) Partition(source entry.Source) (State, bool) {
	p, ok := t.partitions[source]
	if !ok || !p.known {
		return State{}, false
	}
	return State{Known: true, Epoch: p.epoch, Start: p.start, Base: p.base, Held: maps.Clone(p.held)}, true
}
