package index

import "cmp"

// outlines remembers the outlines of the documents that were met last. It is only a help: what it has forgotten is made again,
// and no verdict depends on it. Each document has the places of one set to be in, where the oldest document gives way.
//
//	┌───────────┬───────────┬────────────┐
//	│ number 40 │ hashes 12 │ lookup 12  │    a head; a set has four, and their outlines, folded and whole, stand beside those of
//	└───────────┴───────────┴────────────┘    the next sets, for documents met one after another are near each other
//
// lookup is the one in which the document was met last, by which it is known when it is met in another band.
type outlines struct {
	heads  [][outlineWays]uint64 // none until there is a document to tell apart
	folds  [outlineWays][][foldWords]uint64
	wholes [outlineWays][][outlineWords]uint64
	lookup uint64
	most   int // sets there may be; 0: mostOutlineSets

	lookups, gaveWay int // lookups, and outlines that gave way, since it was last seen whether there are enough places

	spilled []remembered // in the lookup at hand, for which there was no place: it had met all of their set
}

// remembered is the outline of a document.
type remembered struct {
	head  *uint64 // nil is none
	fold  *[foldWords]uint64
	whole *[outlineWords]uint64
}

const (
	outlineWays = 4
	// A set takes 800 bytes. There are as many as the documents need that lookups among near copies meet in turn: one template
	// has thousands of them, and in most streams there are several.
	outlineSets     = 1 << 12 // 3 MiB
	mostOutlineSets = 1 << 16 // 50 MiB
	// outlineLookups are looked at together: if so many outlines gave way in each that making them again takes longer than the
	// rest of it, some 1.3 us each, there are twice as many sets from then on.
	outlineLookups = 64
	outlineGiveWay = 32
	headBits       = 12
	headMask       = 1<<headBits - 1
)

// begin begins a lookup.
func (o *outlines) begin() {
	o.spilled = o.spilled[:0]
	if o.heads == nil {
		o.make(outlineSets)
	}
	o.tend()
	if o.lookup++; o.lookup > headMask {
		o.lookup = 1
		for i := range o.heads {
			for k := range o.heads[i] {
				o.heads[i][k] &^= headMask
			}
		}
	}
}

// tend makes more places where too few documents are remembered. What is remembered is then made again.
func (o *outlines) tend() {
	if o.lookups++; o.lookups < outlineLookups {
		return
	}
	if sets := 2 * len(o.heads); o.gaveWay > outlineGiveWay*outlineLookups && sets <= cmp.Or(o.most, mostOutlineSets) {
		o.make(sets)
	}
	o.lookups, o.gaveWay = 0, 0
}

func (o *outlines) make(sets int) {
	o.heads = make([][outlineWays]uint64, sets)
	for k := range outlineWays {
		o.folds[k] = make([][foldWords]uint64, sets)
		o.wholes[k] = make([][outlineWords]uint64, sets)
	}
}

// number is how a head names a document: 0 is none.
func number(r ref) uint64 { return uint64(r+1) << (2 * headBits) }

// find is what is remembered of a document.
func (o *outlines) find(r ref) remembered {
	set, want := uint64(r)%uint64(len(o.heads)), number(r)>>(2*headBits)
	heads := &o.heads[set]
	for k := range heads {
		if heads[k]>>(2*headBits) == want {
			return remembered{&heads[k], &o.folds[k][set], &o.wholes[k][set]}
		}
	}
	for _, s := range o.spilled {
		if *s.head>>(2*headBits) == want {
			return s
		}
	}
	return remembered{}
}

// put remembers the outline of a document that is not remembered.
func (o *outlines) put(r ref, own *outline) remembered {
	set := uint64(r) % uint64(len(o.heads))
	heads, oldest := &o.heads[set], -1
	for k := range heads {
		if heads[k]&headMask != o.lookup && (oldest < 0 || heads[k] < heads[oldest]) {
			oldest = k
		}
	}
	var place remembered
	if oldest < 0 || heads[oldest] != 0 {
		o.gaveWay++
	}
	if oldest >= 0 {
		place = remembered{&heads[oldest], &o.folds[oldest][set], &o.wholes[oldest][set]}
	} else {
		place = remembered{new(uint64), new([foldWords]uint64), new([outlineWords]uint64)}
		o.spilled = append(o.spilled, place)
	}
	*place.head, *place.fold, *place.whole = number(r)|uint64(min(own.n, headMask))<<headBits, own.fold(), own.bits
	return place
}
