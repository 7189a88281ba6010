package index

import (
	"fmt"

	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
)

// Replica is the state machine: the state at "next journal offset to apply". It is not safe for concurrent use.
type Replica struct {
	params      Params // in force
	begun       Params // with the bounds that the journal was begun with
	sketch      sketch.Sketch
	fingerprint uint64 // of this replica's own settings
	keys        int    // bytes of the band keys of an entry
	verify      *compare.Comparer

	settings    []byte // the text in force; nil before the first settings record
	inForce     bool   // the settings in force are this replica's own
	routes      Routes
	routed      uint64           // the hash of routes
	early       []Routing        // read before settings were in force
	bounds      Bounds           // in force
	earlyBounds []SettingsChange // as early
	narrowing   bool             // the window may be beyond bounds that were narrowed
	next        int64
	clocks      clocks
	partitions  []*partition
	byID        map[entry.Source]uint32
	window      window
	filling     filling
	fed         uint64   // entries that feeds brought
	requests    requests // by their idempotency keys
	hash        running
	marks       marks
	confirmed   int64 // journal offset; see Confirmed
	stats       Stats
	chains      *Chains // nil for the verdicts of a service

	reemitEvery int64    // window.reemit_every, ms; 0 lets no copy through
	at          Position // journal position of the entry at hand
	turn        turn     // of the entry at hand
	candidate   entry.Entry

	looked  look // of the entry at hand
	again   look // of a document that enters again
	popular popular

	judged []Verdict // verdicts of the run or feed at hand
}

// Effect is what applying one record did.
type Effect struct {
	Applied  bool        // false if the record changed nothing
	Judged   []Verdict   // the verdicts it gave, in the order of the entries; valid until the next Apply
	Disputed *Divergence // nil unless the record makes a claim that this replica cannot confirm
}

// SourceOf returns the source partition of the document about which rec gave verdict v.
func SourceOf(rec Record, v *Verdict) entry.Source {
	switch rec := rec.(type) {
	case *Run:
		return rec.Source
	case *Feed:
		return rec.Parts[rec.Entries[v.Position.Entry].Part].Source
	}
	return entry.Source{}
}

// NewReplica builds an empty replica that applies the record at journal offset 0 next. fingerprint is that of the
// member's own settings. The caller must have validated the Params.
func NewReplica(p Params, fingerprint uint64) (*Replica, error) {
	r := &Replica{fingerprint: fingerprint, byID: map[entry.Source]uint32{}, hash: began(fingerprint), confirmed: -1}
	p, err := p.Planned()
	if err == nil {
		err = r.assemble(p)
	}
	if err != nil {
		return nil, fmt.Errorf("build replica: %w", err)
	}
	return r, nil
}

// assemble sets the settings of a replica that has judged nothing.
func (r *Replica) assemble(p Params) error {
	made, err := p.Similarity.NewSketch()
	if err != nil {
		return err
	}
	verify, err := p.Similarity.comparer(made)
	if err != nil {
		return err
	}
	r.params, r.begun, r.sketch, r.verify = p, p, made, verify
	r.keys, r.window = made.Bands()*p.Similarity.KeyBytes, newWindow(p, made.Bands())
	r.clocks.tolerance, r.clocks.byEvent = p.Window.Tolerance.Milliseconds(), p.Window.Clock == clockEvent
	r.clocks.lateAfter = p.Window.Late.Milliseconds()
	r.reemitEvery = p.Window.ReemitEvery.Milliseconds()
	r.requests.remembers(p.Window.Requests.Milliseconds())
	return nil
}

// Apply applies the record at at.Offset. Records must come in journal order; offsets may leave gaps.
func (r *Replica) Apply(at Stamp, rec Record) Effect {
	effect := r.apply(at, rec)
	r.next = at.Offset + 1
	r.stats.Records++
	if !aboutReplicas(rec) {
		r.stats.Changed = r.next
	}
	if !effect.Applied {
		r.stats.Ignored++
	}
	r.fold(at, rec, &effect)
	if _, ok := rec.(*Mark); ok && effect.Applied {
		r.marks.set(r.next, r.hash)
	}
	return effect
}

// aboutReplicas says whether a record comes with a snapshot. Such a record is no reason to take another one.
func aboutReplicas(rec Record) bool {
	switch rec.(type) {
	case *Mark, *Checkpoint:
		return true
	}
	return false
}

// Skip passes a journal record at at.Offset that is none of the group's. It changes only the next offset, the hash and
// the counters.
func (r *Replica) Skip(at Stamp) { r.Apply(at, nil) }

func (r *Replica) apply(at Stamp, rec Record) Effect {
	if s, ok := rec.(*Settings); ok {
		return r.applySettings(at, s)
	}
	if c, ok := rec.(*Checkpoint); ok {
		r.adoptSettings(c)
		r.adoptRoutes(c)
	}
	if rec, ok := rec.(*SettingsChange); ok && r.settings == nil {
		r.earlyChange(rec)
	}
	if rec, ok := rec.(*Routing); ok && !r.inForce {
		r.earlyRouting(rec)
	}
	h := header(rec)
	if !r.inForce || h.Fingerprint != r.fingerprint {
		return Effect{}
	}
	switch rec := rec.(type) {
	case *Run:
		return r.applyRun(at, rec)
	case *Feed:
		return r.applyFeed(at, rec)
	case *Fill:
		return r.applyFill(at, rec)
	case *Reposition:
		return r.applyReposition(at, rec)
	case *Forget:
		r.clocks.appended(at.LogAppendTime, h.Wall)
		r.forget(rec.Target)
		return Effect{Applied: true}
	case *Erase:
		return r.applyErase(at, rec)
	case *Mark:
		r.clocks.appended(at.LogAppendTime, h.Wall)
		return Effect{Applied: true}
	case *Checkpoint:
		r.clocks.appended(at.LogAppendTime, h.Wall)
		return Effect{Applied: true, Disputed: r.checkpoint(rec)}
	case *Accusation:
		r.clocks.appended(at.LogAppendTime, h.Wall)
		return Effect{Applied: true, Disputed: r.accusation(rec)}
	case *Routing:
		return r.applyRouting(rec)
	case *SettingsChange:
		return r.applySettingsChange(at, rec)
	}
	return Effect{}
}

func header(rec Record) Header {
	switch rec := rec.(type) {
	case *Run:
		return rec.Header
	case *Feed:
		return rec.Header
	case *Fill:
		return rec.Header
	case *Reposition:
		return rec.Header
	case *Forget:
		return rec.Header
	case *Erase:
		return rec.Header
	case *Mark:
		return rec.Header
	case *Checkpoint:
		return rec.Header
	case *Accusation:
		return rec.Header
	case *Routing:
		return rec.Header
	case *SettingsChange:
		return rec.Header
	}
	return Header{}
}

func (r *Replica) applySettings(at Stamp, s *Settings) Effect {
	if r.settings != nil {
		return Effect{}
	}
	r.settle(s.Text)
	r.early, r.earlyBounds = nil, nil
	r.clocks.appended(at.LogAppendTime, s.Wall)
	return Effect{Applied: true}
}

// settle takes the text that the journal was begun with.
func (r *Replica) settle(text []byte) {
	r.settings = append([]byte{}, text...)
	p, err := r.params.begunWith(text)
	if r.inForce = err == nil && r.fingerprint == Fingerprint(text) && r.assemble(p) == nil; !r.inForce {
		return
	}
	r.bounds = Bounds{Text: BoundsOf(text)}
}

func (r *Replica) applyRun(at Stamp, run *Run) Effect {
	number, known := r.known(run.Source)
	if !known || r.partitions[number].Epoch != run.Epoch || !r.wellFormed(run) {
		return Effect{}
	}
	r.clocks.appended(at.LogAppendTime, run.Wall)
	p := r.partitions[number]
	p.raise(run.Base)
	r.judged = r.judged[:0]
	for i := range run.Entries {
		r.window.lookAheadIn(run, i)
		e := &run.Entries[i]
		if e.Offset < p.Base {
			continue
		}
		if _, held := p.find(e.Offset); held {
			continue
		}
		r.clocks.document(e.Time)
		v := r.judgeRequest(number, Position{Offset: at.Offset, Entry: int32(i)}, e)
		v.Late = r.clocks.late(e.Time)
		p.hold(v)
		r.judged = append(r.judged, v)
	}
	if len(r.judged) == 0 {
		return Effect{Applied: true}
	}
	return Effect{Applied: true, Judged: r.judged}
}

func (r *Replica) applyReposition(at Stamp, rec *Reposition) Effect {
	number, known := r.byID[rec.Source]
	if !known && rec.Epoch != 1 || known && rec.Epoch != r.partitions[number].Epoch+1 {
		return Effect{}
	}
	if !known {
		number = uint32(len(r.partitions))
		r.addPartition(&partition{source: rec.Source, among: rec.Partitions})
	}
	r.clocks.appended(at.LogAppendTime, rec.Wall)
	p, here := r.partitions[number], Position{Offset: at.Offset}
	p.dropFalls(r.oldest(here))
	if known && p.Epoch == 0 { // a fill named it
		p.among, p.Base = rec.Partitions, rec.Offset
	}
	from := min(rec.Offset, p.Base)
	r.requests.drop(func(q *request) bool { return q.source == number && q.offset >= from })
	p.reposition(here, rec)
	return Effect{Applied: true}
}

// oldest returns the least journal position at which a remembered document entered, or now if there is none.
func (r *Replica) oldest(now Position) Position {
	if d, ok := r.window.eldest(); ok {
		now = d.position
	}
	return now
}

// forget has a document that its output refused go to rejected, and die. A document that was fed stays what it is for
// those behind it: a feeder runs ahead of refusals, and how far ahead is chance (design 4, rules 11 and 15).
func (r *Replica) forget(target Position) {
	r.requests.forget(target)
	for _, p := range r.partitions {
		for i := range p.held {
			v := &p.held[i]
			if v.Position != target {
				continue
			}
			if v.Forgotten = true; !p.wasFed(v.Offset) {
				r.takeBack(v)
			}
		}
	}
	if s, i, ok := r.find(target); ok {
		if d := s.document(i); !r.partitions[d.source].wasFed(d.entry.Offset) {
			s.changes.kill(i)
		}
	}
}

// fold adds the record and its effect to the running hash.
func (r *Replica) fold(at Stamp, rec Record, effect *Effect) {
	h := r.hash.mix(uint64(at.Offset))
	if effect.Applied {
		h = h.mix(uint64(r.clocks.arrival)).mix(uint64(r.clocks.event))
		switch rec := rec.(type) {
		case *Settings:
			h = h.mix(Hash(rec.Text))
		case *Run:
			h = h.mix(uint64(rec.Base)).mix(uint64(r.popular.size))
			for i := range rec.Entries {
				h = h.request(&rec.Entries[i].Request)
			}
		case *Feed:
			h = h.mix(r.fed)
			for i := range rec.Parts {
				h = h.mix(uint64(rec.Parts[i].Through))
			}
		case *Fill:
			h = r.filling.fold(h, rec)
		case *Reposition:
			h = h.mix(uint64(rec.Epoch)).mix(uint64(rec.Offset))
		case *Forget:
			h = h.mix(uint64(rec.Target.Offset)).mix(uint64(rec.Target.Entry))
		case *Erase:
			for _, t := range rec.Targets {
				h = h.mix(uint64(t.Offset)).mix(uint64(t.Entry))
			}
		case *Routing:
			h = h.mix(uint64(rec.Number)).mix(rec.Hash())
		case *SettingsChange:
			h = h.mix(uint64(rec.Number)).mix(rec.hash())
		}
	}
	for i := range effect.Judged {
		h = h.verdict(&effect.Judged[i])
	}
	r.hash = h
}
