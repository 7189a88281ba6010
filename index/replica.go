package index

import (
	"fmt"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/window"
)

// Replica is the state machine: the state at "next journal offset to apply". It is not safe for concurrent use.
type Replica struct {
	begun       Params // with the bounds that the journal was begun with
	sketch      sketch.Sketch
	fingerprint uint64 // of this replica's own settings
	keys        int    // bytes of the band keys of an entry

	settings    []byte // the text in force; nil before the first settings record
	inForce     bool   // the settings in force are this replica's own
	routing     routing
	bounds      Bounds           // in force
	earlyBounds []SettingsChange // read before settings were in force
	next        int64
	clocks      clocks
	sources     sources
	filling     filling
	fed         uint64   // entries that feeds brought
	requests    requests // by their idempotency keys
	hash        running
	marks       marks
	confirmed   int64 // journal offset; see Confirmed
	stats       Stats

	find     finder // what is remembered, and what finds it
	judge    judge
	judged   []Verdict // verdicts of the run or feed at hand
	underway underway
}

// underway is the record at hand, and how far it is applied.
type underway struct {
	at    Stamp
	rec   Record
	begun bool // what is done once for a record is done
	entry int  // the next one
}

// Effect is what applying one record did.
type Effect struct {
	// Wanted is what has to be given (Give) before the record can be applied to its end (Resume). Nothing else is set then,
	// but for Entry.
	Wanted   []window.Want
	Entry    int         // of the record, which wants it
	Applied  bool        // false if the record changed nothing
	Judged   []Verdict   // the verdicts it gave, in the order of the entries; valid until the next Apply
	Disputed *Divergence // nil unless the record makes a claim that this replica cannot confirm
}

// NewReplica builds an empty replica that applies the record at journal offset 0 next. fingerprint is that of the
// member's own settings. The caller must have validated the Params.
func NewReplica(p Params, fingerprint uint64) (*Replica, error) {
	r := &Replica{fingerprint: fingerprint, hash: began(fingerprint), confirmed: -1}
	r.sources.byID = map[entry.Source]uint32{}
	r.find.clocks, r.find.sources = &r.clocks, &r.sources
	r.judge.find, r.judge.stats = &r.find, &r.stats
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
	made, err := p.Duplicates.NewSketch()
	if err != nil {
		return err
	}
	verify, err := p.Duplicates.comparer(made)
	if err != nil {
		return err
	}
	r.find.params, r.begun, r.sketch, r.find.verify = p, p, made, verify
	r.keys, r.find.window = made.Bands()*entry.KeyBytes, window.New(p.window(made.Bands()))
	r.find.buckets = r.find.window.Buckets()
	r.clocks.tolerance, r.clocks.byEvent = p.Duplicates.Remember.Tolerance.Milliseconds(), p.Duplicates.Remember.Clock == clockEvent
	r.judge.reemitEvery = p.Duplicates.Remember.ReemitEvery.Milliseconds()
	r.requests.remembers(p.Duplicates.Remember.Keys.Milliseconds())
	return nil
}

// Apply applies the record at at.Offset. Records must come in journal order; offsets may leave gaps. If the effect wants
// something, the record is applied in part: only Give and Resume may be called then.
func (r *Replica) Apply(at Stamp, rec Record) Effect {
	r.find.window.Files().Again()
	r.underway, r.judged = underway{at: at, rec: rec}, r.judged[:0]
	if rec != nil {
		rec.note(r)
	}
	return r.goOn()
}

func (r *Replica) goOn() Effect {
	at, rec := r.underway.at, r.underway.rec
	effect := r.apply(at, rec)
	if r.find.window.Files().Wants() {
		return Effect{Wanted: r.find.window.Files().Wanted(), Entry: r.underway.entry}
	}
	r.underway = underway{}
	r.find.window.Files().Done()
	r.next = at.Offset + 1
	r.stats.Records++
	if rec == nil || !rec.aboutReplicas() {
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

// Skip passes a journal record at at.Offset that is none of the group's. It changes only the next offset, the hash and
// the counters.
func (r *Replica) Skip(at Stamp) { r.Apply(at, nil) }

func (r *Replica) apply(at Stamp, rec Record) Effect {
	if rec == nil {
		return Effect{}
	}
	if _, begins := rec.(*Settings); !begins && (!r.inForce || rec.head().Fingerprint != r.fingerprint) {
		return Effect{}
	}
	return rec.apply(r, at)
}

// fold adds the record and its effect to the running hash.
func (r *Replica) fold(at Stamp, rec Record, effect *Effect) {
	h := r.hash.mix(uint64(at.Offset))
	if effect.Applied {
		h = rec.fold(h.mix(uint64(r.clocks.arrival)).mix(uint64(r.clocks.event)), r)
	}
	for i := range effect.Judged {
		h = h.verdict(&effect.Judged[i])
	}
	r.hash = h
}
