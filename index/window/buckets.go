package window

// Buckets are the tables that find the documents of a window by their keys: one for each band, and one for the keys of
// all bands together.
type Buckets struct {
	of        *Window
	tables    []table // one per band, and the last one for the keys of all bands together
	tended    int     // table that was tended last
	moved     int     // entries of buckets moved for the latest document
	mostMoved int
	allMoved  uint64

	probed  lookup             // buckets of the latest lookup, until a document is indexed
	ahead   [Lookaheads]lookup // lookups prepared for the next entries
	wanting bool               // pages of the documents that a lookup ahead will probably meet are wanted
	fetched []*line            // scratch memory: lines to be fetched
	met     []Met              // lookup at hand: the documents met, key by key
	places  []uint32           // scratch memory: of documents of a block
	may     []uint64           // lookup at hand: for each key a bit for each block that may have it (Files.may)
}

func (x *Buckets) begin(of *Window, bands int) {
	x.of, x.tables, x.probed = of, make([]table, bands+1), newLookup(bands+1)
	for i := range x.ahead {
		x.ahead[i] = newLookup(bands + 1)
	}
	for b := range x.tables {
		x.tables[b] = x.newTable(0)
	}
}

// Bands is the number of bands of a document. Its table for the keys of all bands together has this number.
func (x *Buckets) Bands() int { return x.whole() }

// Tables is the number of tables: one for each band, and the one of all bands together.
func (x *Buckets) Tables() int { return len(x.tables) }

// link adds a document to its buckets.
func (x *Buckets) link(s *segment, i int, l *Links) {
	x.probe(s.keys(i))
	now, r := x.of.span(), s.first+Ref(i)
	for b := range x.tables {
		if p := &x.probed.probes[b]; l.Own(b) && !p.add(r) {
			x.tables[b].insert(p.line, uint(p.level), p.hash, r, now)
		}
	}
	l.Tags(func(tag uint32) {
		t := &x.tables[x.fineTable(tag)]
		var p probe
		if p.locate(t, tag); !p.add(r) {
			t.insert(p.line, uint(p.level), tag, r, now)
		}
	})
}

// newTable builds an empty table for this many documents, and those that come before it has its turn.
func (x *Buckets) newTable(documents int) table { return newTable(documents + len(x.tables)) }

// tend maintains the tables after a document. They take turns: one table is swept, and grows or shrinks so that it has
// room until its next turn. So no document pays for all tables, and what is read for it stands side by side in memory
// and was fetched before.
func (x *Buckets) tend() {
	now, tables := x.of.span(), len(x.tables)
	x.tended = x.after(1)
	t := &x.tables[x.tended]
	t.sweep(x.sweeps(), now)
	before := t.n
	if x.moved = t.fit(int(now.visible())+tables, tables, now); t.n != before {
		x.renew(x.tended)
	}
	x.probed.keys = x.probed.keys[:0]
	x.fetchTended()
	x.allMoved += uint64(x.moved)
	x.mostMoved = max(x.mostMoved, x.moved)
}

// after returns the table that is tended after this many documents; n is not greater than the number of tables.
func (x *Buckets) after(n int) int {
	if n += x.tended; n >= len(x.tables) {
		n -= len(x.tables)
	}
	return n
}

// sweeps returns how many buckets of a table are swept when it is its turn.
func (x *Buckets) sweeps() int { return (len(x.tables) + sweepEvery - 1) / sweepEvery }
