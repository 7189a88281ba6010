package index

import (
	"slices"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/window"
	"github.com/unecho/unecho/index/wire"
)

// Contents is a replica's state without its segments, for another state machine that continues from it.
type Contents struct {
	Settings       []byte // the text in force; nil before the first settings record
	Next           int64
	Arrival, Event int64 // clocks, ms since 1970
	Partitions     []SourcePartition
	Held           [][]Verdict // per partition, ascending by offset
	Fed            []Fed       // per partition
	FedEntries     uint64      // see Replica.FedEntries
	Filled         Filled
	FilledParts    []FilledPart // per partition
	FilledLast     int64        // the age of the newest document that a fill brought counts from it, ms since 1970
	Bounds         Bounds       // in force
	Narrowing      bool         // the window may be beyond bounds that were narrowed
	Requests       []Answered   // that are remembered, in the order in which they were judged
	Popular        Popular
}

// Popular are the keys that are popular, and those that become so at the next mark.
type Popular struct {
	Keys    map[uint32]int // by the lowest bits of a key's tag: for how many generations
	Pending []uint32
	Entered int // documents since the last mark
	Until   int // so many documents of the window leave before the generation ends
}

// Remembered is a document of the window, and what changed about it since it was judged.
type Remembered struct {
	Number uint64 // its place; ascending
	// Root is the place of the representative that the document is a copy of, and its own place if it is no copy.
	// RootLeft says that the representative has left the window.
	Root     uint64
	RootLeft bool

	Filled   bool // it was there before the group judged anything
	Source   entry.Source
	Entry    entry.Entry // valid during the visit
	Judged   entry.Position
	Entered  int64  // stream time from which its age counts, ms since 1970
	Dead     bool   // it was forgotten, or fell in a reposition of its partition
	Copies   uint64 // number of copies judged against it
	Repeated bool   // it was repeated since it entered, under duplicates.remember.refresh: last
	Last     int64  // stream time of the last repeat, ms since 1970; set if Repeated
	Emission Emission

	Absent []int    // the bands under whose keys it is not found; -1 stands for all bands together
	Fine   []uint32 // tags of the fine keys under which it is found
}

// Emission is the last document that came through as unique among a representative and its copies.
type Emission struct {
	Source   entry.Source
	Offset   int64
	Position entry.Position
	At       int64 // stream time, ms
	Void     bool  // its document died, so the next copy comes through
}

// Contents returns the state. The caller owns it.
func (r *Replica) Contents() Contents {
	c := Contents{
		Next: r.next, Arrival: r.clocks.arrival, Event: r.clocks.event,
		Partitions: make([]SourcePartition, len(r.sources.rows)), Held: make([][]Verdict, len(r.sources.rows)),
		Fed: make([]Fed, len(r.sources.rows)), FedEntries: r.fed, Filled: r.Filled(),
		FilledParts: make([]FilledPart, len(r.sources.rows)), FilledLast: r.filling.last,
		Bounds: r.bounds, Narrowing: r.judge.narrowing,
	}
	c.Popular = Popular{
		Keys: map[uint32]int{}, Pending: slices.Clone(r.find.popular.pending), Entered: r.find.popular.entered,
		Until: int(max(r.find.popular.until, r.find.window.Oldest()) - r.find.window.Oldest()),
	}
	r.find.popular.visit(func(key uint32, recent bool) { c.Popular.Keys[key] = 1 + int(wire.Flag(recent)) })
	for _, first := range r.requests.queue {
		c.Requests = append(c.Requests, r.sources.answered(first))
	}
	if r.settings != nil {
		c.Settings = append([]byte{}, r.settings...)
	}
	for i, p := range r.sources.rows {
		c.Partitions[i] = SourcePartition{Source: p.source, Topic: p.name, Partition: p.Partition, Held: len(p.held)}
		c.Held[i], c.Fed[i], c.FilledParts[i] = append([]Verdict(nil), p.held...), r.Fed(p.source), r.FilledPart(p.source)
	}
	return c
}

// Each visits the documents of the window, the oldest first.
func (r *Replica) Each(visit func(*Remembered)) {
	r.Step(&Walk{}, r.find.window.Visible(), visit)
}

// Walk is how far a walk over the documents has come. The zero value begins one.
type Walk struct {
	begun   bool
	at, end window.Ref // the next document, and the one at which the walk ends
}

// Step visits up to most documents more, as Each does, so that the journal is applied between two steps. done says
// that those are visited that were remembered when the walk began, and did not leave before. A document that enters
// again meanwhile may be visited twice. A step ends early if something is wanted (Wanted).
func (r *Replica) Step(walk *Walk, most int, visit func(*Remembered)) (done bool) {
	w := r.find.window
	if !walk.begun {
		*walk = Walk{begun: true, at: w.Oldest(), end: w.End()}
	}
	for walk.at = max(walk.at, w.Oldest()); walk.at < walk.end; walk.at++ {
		if most--; most < 0 {
			w.Files().Done()
			return false
		}
		if !w.Files().Readable(walk.at) {
			return false
		}
		f := r.find.found(walk.at)
		m := r.find.remembered(walk.at, &f)
		if w.Files().Wants() {
			return false
		}
		visit(&m)
	}
	return true
}

func (x *finder) remembered(number window.Ref, f *found) Remembered {
	d, at := &f.document, f.place
	p := x.sources.rows[d.Source]
	m := Remembered{
		Number: uint64(number), Root: uint64(number), Filled: p.wasFilled(d.Entry.Offset), Source: p.source,
		Entry: d.Entry, Judged: d.Judged, Entered: d.Applied, Copies: uint64(at.Copies()),
		Dead: at.Dead() || p.fell(d.Position, d.Entry.Offset),
	}
	m.Entry.Keys, m.Entry.Digest = at.Keys(), at.Digest()
	m.Last, m.Repeated = at.Repeated()
	if d.Copied() {
		root, ok := x.root(f)
		m.RootLeft = !ok
		if ok {
			m.Root = uint64(root.place.Number())
		}
	}
	for b := range x.buckets.Tables() {
		if !d.Links.Own(b) && b == x.buckets.Bands() {
			m.Absent = append(m.Absent, -1)
		} else if !d.Links.Own(b) {
			m.Absent = append(m.Absent, b)
		}
	}
	d.Links.Tags(func(tag uint32) { m.Fine = append(m.Fine, tag) })
	e := x.emission(f)
	m.Emission = Emission{
		Source: x.sources.rows[e.Source].source, Offset: e.Offset, Position: e.Position, At: e.At,
		Void: e.Void,
	}
	return m
}
