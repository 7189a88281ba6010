package index

import "cmp"

// outlines caches the outlines of the documents that were met last. No verdict depends on it: a missing outline is made
// again. Each document has a place of its own, by the lowest bits of its number, and three alternative places. When all
// four are taken, the oldest document there gives way. So nearly every document is in its own place, and documents met
// one after another have places near each other.
//
//	┌───────────┬───────────┬────────────┐
//	│ number 40 │ hashes 12 │ lookup 12  │    a head; the outlines stand apart, folded and a half
//	└───────────┴───────────┴────────────┘
//
// lookup numbers the lookup that last met the document. It shows whether the document was already met in another band
// of the same lookup.
type outlines struct {
	heads  []uint64 // nil until the first outline is made
	folds  [][foldWords]uint64
	halves [][foldWords]uint64
	// number of places - 1; entries behind the places belong to the lookup at hand, which has met the documents in all
	// four places
	mask   int
	lookup uint64
	most   int // greatest number of places; 0 means mostOutlinePlaces

	spilled map[ref]int // where the documents stored behind the places are

	lookups, gaveWay int // lookups, and outlines that gave way, since tend last decided on the number of places
}

const (
	// A place takes 136 bytes. There should be one for each document that lookups meet in turn among near copies. One
	// template has thousands of these, and most streams have several templates.
	outlinePlaces     = 1 << 14 // 2.1 MiB
	mostOutlinePlaces = 1 << 18 // 34 MiB
	outlineWays       = 4       // places that a document can be in
	// outlineLookups is how many lookups tend waits for before it decides. The places are doubled if more than
	// outlineGiveWay outlines gave way per lookup: making them again, at some 1.3 us each, would then take longer than
	// the rest of the lookup.
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

// tend doubles the places when too few documents are remembered. All outlines are then forgotten, and made again when
// they are needed.
func (o *outlines) tend() {
	if o.lookups++; o.lookups < outlineLookups {
		return
	}
	if places := 2 * (o.mask + 1); o.gaveWay > outlineGiveWay*outlineLookups &&
		places <= cmp.Or(o.most, mostOutlinePlaces) {
		o.make(places)
	}
	o.lookups, o.gaveWay = 0, 0
}

// make allocates this many places, a power of two, and forgets all outlines.
func (o *outlines) make(places int) {
	o.heads, o.folds, o.halves = make([]uint64, places), make([][foldWords]uint64, places),
		make([][foldWords]uint64, places)
	o.mask = places - 1
}

// keep forgets the entries behind this many places.
func (o *outlines) keep(places int) {
	clear(o.spilled)
	o.heads, o.folds, o.halves = o.heads[:places], o.folds[:places], o.halves[:places]
}

// number is a document's number as a head stores it. A head of 0 is empty.
func number(r ref) uint64 { return uint64(r+1) << (2 * headBits) }

func names(head uint64, r ref) bool { return (head^number(r))>>(2*headBits) == 0 }

// own returns a document's own place.
func (o *outlines) own(r ref) int { return int(r) & o.mask }

// way returns the k-th of the places that a document can be in. The first, for k = 0, is its own.
func (o *outlines) way(r ref, k int) int { return (int(r) + k*(o.mask+1)/outlineWays) & o.mask }

// find returns the place of a document, or -1.
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

// hashesOf returns the number of hashes of an outline, as its head states it: headMask means that many or more.
func hashesOf(head uint64) int { return int(head >> headBits & headMask) }

// put stores the outline of a document that has none stored, and returns its place.
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

// oldest returns the place where the outline of document r may go: of its four places the one with the oldest document,
// or its own if that is empty. It leaves out documents that the lookup at hand has met, and returns -1 if it has met
// all four.
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
