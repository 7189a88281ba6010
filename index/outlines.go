package index

import "cmp"

// outlines remembers the outlines of the documents that were met last. It is only a help: what it has forgotten is made again,
// and no verdict depends on it. Each document has a place of its own by the lowest bits of its number, and three more to be in;
// of the documents there the oldest gives way. So what is met is nearly always in its own place, and where documents are met
// one after another, these places are near each other.
//
//	┌───────────┬───────────┬────────────┐
//	│ number 40 │ hashes 12 │ lookup 12  │    a head; the outlines stand apart, folded and a half
//	└───────────┴───────────┴────────────┘
//
// lookup is the one in which the document was met last, by which it is known when it is met in another band.
type outlines struct {
	heads  []uint64 // none until there is a document to tell apart
	folds  [][foldWords]uint64
	halves [][foldWords]uint64
	mask   int // of the places; behind them is what the lookup at hand found no place for: it had met all that were in its way
	lookup uint64
	most   int // places there may be; 0: mostOutlinePlaces

	spilled map[ref]int // where the documents behind the places are

	lookups, gaveWay int // lookups, and outlines that gave way, since it was last seen whether there are enough places
}

const (
	// A place takes 136 bytes. There are as many as the documents need that lookups among near copies meet in turn: one template
	// has thousands of them, and in most streams there are several.
	outlinePlaces     = 1 << 14 // 2.1 MiB
	mostOutlinePlaces = 1 << 18 // 34 MiB
	outlineWays       = 4       // places that a document can be in
	// outlineLookups are looked at together: if so many outlines gave way in each that making them again takes longer than the
	// rest of it, some 1.3 us each, there are twice as many places from then on.
	outlineLookups = 64
	outlineGiveWay = 32
	headBits       = 12
	headMask       = 1<<headBits - 1
)

// begin begins a lookup.
func (o *outlines) begin() {
	if o.heads == nil {
		o.make(outlinePlaces)
	}
	o.tend()
	o.keep(o.mask + 1)
	if o.lookup++; o.lookup > headMask {
		o.lookup = 1
		for i := range o.heads {
			o.heads[i] &^= headMask
		}
	}
}

// tend makes more places where too few documents are remembered. What is remembered is then made again.
func (o *outlines) tend() {
	if o.lookups++; o.lookups < outlineLookups {
		return
	}
	if places := 2 * (o.mask + 1); o.gaveWay > outlineGiveWay*outlineLookups && places <= cmp.Or(o.most, mostOutlinePlaces) {
		o.make(places)
	}
	o.lookups, o.gaveWay = 0, 0
}

// make makes so many places, a power of two.
func (o *outlines) make(places int) {
	o.heads, o.folds, o.halves = make([]uint64, places), make([][foldWords]uint64, places), make([][foldWords]uint64, places)
	o.mask = places - 1
}

// keep forgets what is behind so many places.
func (o *outlines) keep(places int) {
	clear(o.spilled)
	o.heads, o.folds, o.halves = o.heads[:places], o.folds[:places], o.halves[:places]
}

// number is how a head names a document: 0 is none.
func number(r ref) uint64 { return uint64(r+1) << (2 * headBits) }

func names(head uint64, r ref) bool { return (head^number(r))>>(2*headBits) == 0 }

// own is a document's own place.
func (o *outlines) own(r ref) int { return int(r) & o.mask }

// way is one of the places that a document can be in, the first of which is its own.
func (o *outlines) way(r ref, k int) int { return (int(r) + k*(o.mask+1)/outlineWays) & o.mask }

// find is the place of a document, or -1.
func (o *outlines) find(r ref) int {
	for k := range outlineWays {
		if at := o.way(r, k); names(o.heads[at], r) {
			return at
		}
	}
	if at, is := o.spilled[r]; is {
		return at
	}
	return -1
}

// hashesOf is how many an outline is made of, as its head says.
func hashesOf(head uint64) int { return int(head >> headBits & headMask) }

// put remembers the outline of a document that is not remembered, and says where.
func (o *outlines) put(r ref, own *outline) int {
	at := o.oldest(r)
	if at < 0 {
		if o.spilled == nil {
			o.spilled = map[ref]int{}
		}
		at = len(o.heads)
		o.spilled[r] = at
		o.heads, o.folds = append(o.heads, 0), append(o.folds, [foldWords]uint64{})
		o.halves = append(o.halves, [foldWords]uint64{})
	}
	o.heads[at], o.folds[at], o.halves[at] = number(r)|uint64(min(own.n, headMask))<<headBits, own.fold(), own.half()
	return at
}

// oldest is the place of the oldest of the documents that could be where this one can be, its own if it is empty; -1 if the
// lookup at hand has met them all.
func (o *outlines) oldest(r ref) int {
	oldest := -1
	for k := range outlineWays {
		at := o.way(r, k)
		if o.heads[at]&headMask != o.lookup && (oldest < 0 || o.heads[at] < o.heads[oldest]) {
			oldest = at
		}
	}
	if oldest < 0 || o.heads[oldest] != 0 {
		o.gaveWay++
	}
	return oldest
}
