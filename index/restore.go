package index

import (
	"fmt"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/wire"
)

// Restore rebuilds a replica from what Capture gave. NewRestore decodes the state, Decode decodes one segment, Add
// takes the segments in order, and Replica links them. Decode and the linking of the bands may be spread over several
// goroutines.
type Restore struct {
	replica *Replica
	side    wire.Reader
}

// Decoded is a captured segment, or a part of the side table, decoded and not yet added.
type Decoded struct {
	segment *segment
	sources uint32    // all source numbers of its documents are below this
	bytes   int64     // size of its documents, as window.bytes counts them
	side    *sidePart // set for a part of the side table, and then segment is empty
}

// Number ascends from segment to segment.
func (d *Decoded) Number() uint64 { return d.segment.number }

// Documents is the number of documents in the segment.
func (d *Decoded) Documents() int { return d.segment.n }

// Sealed says that the segment will never change.
func (d *Decoded) Sealed() bool { return d.segment.sealed }

// NewRestore decodes the state. Params and fingerprint must be those of the captured replica: a snapshot made under
// other settings is useless.
func NewRestore(p Params, fingerprint uint64, state []byte) (*Restore, error) {
	replica, err := NewReplica(p, fingerprint)
	if err != nil {
		return nil, err
	}
	rd := wire.NewReader(state)
	if err := readVersion(&rd, "state", stateVersion); err != nil {
		return nil, err
	}
	settings := rd.Bytes()
	if rd.Byte() == 1 {
		replica.settle(settings)
	}
	replica.route(Routes{Number: uint32(rd.Uvarint()), Text: rd.Bytes()})
	if rd.Byte() == 1 && !replica.readBounds(&rd) {
		return nil, fmt.Errorf("%w: state", ErrCorrupt)
	}
	replica.next = rd.Varint()
	replica.hash = running(rd.Uint64())
	replica.clocks.arrival, replica.clocks.event = rd.Varint(), rd.Varint()
	for n := rd.Count(20); n > 0; n-- {
		replica.addPartition(readPartition(&rd))
	}
	replica.fed = rd.Uvarint()
	for _, p := range replica.partitions {
		p.fed = Fed{Through: rd.Varint(), Place: rd.Varint()}
	}
	replica.readFilling(&rd)
	if !replica.requests.read(&rd, len(replica.partitions)) || !replica.popular.read(&rd) {
		return nil, fmt.Errorf("%w: state", ErrCorrupt)
	}
	w := &replica.window
	w.oldest, w.number = ref(rd.Uvarint()), rd.Uvarint()
	w.end = w.oldest
	if rd.Short() || len(replica.byID) != len(replica.partitions) || w.oldest > maxRef {
		return nil, fmt.Errorf("%w: state", ErrCorrupt)
	}
	replica.marks.set(replica.next, replica.hash)
	replica.confirmed = replica.next
	return &Restore{replica: replica, side: rd}, nil
}

// readBounds reads what appendBounds wrote, and returns false if that is not possible.
func (r *Replica) readBounds(rd *wire.Reader) bool {
	to := Bounds{Number: uint32(rd.Uvarint()), Text: rd.Bytes()}
	flags := rd.Byte()
	if rd.Short() || to.Number == 0 || !r.inForce || !r.change(to) {
		return false
	}
	if w := &r.window; flags&1 != 0 && w.places == nil {
		w.places = map[ref]ref{}
	}
	r.window.refreshed, r.narrowing = flags&2 != 0, flags&4 != 0
	return true
}

// readFilling reads what appendFilling wrote.
func (r *Replica) readFilling(rd *wire.Reader) {
	f := &r.filling
	f.Number, f.Plan, f.Entries = uint32(rd.Uvarint()), append([]byte(nil), rd.Bytes()...), rd.Uvarint()
	f.Kept, f.TooOld, f.Empty = rd.Uvarint(), rd.Uvarint(), rd.Uvarint()
	f.last = rd.Varint()
	for _, p := range r.partitions {
		p.filled = FilledPart{Through: rd.Varint(), Place: rd.Varint(), Rejected: rd.Uvarint()}
	}
}

// readVersion reads the format version of a state or segment. The error for another version says what to do.
func readVersion(rd *wire.Reader, what string, own byte) error {
	switch v := rd.Byte(); {
	case rd.Short():
		return fmt.Errorf("%w: %s", ErrCorrupt, what)
	case v > own:
		return fmt.Errorf("%w: its %s has format %d, this one reads format %d: upgrade this program", ErrVersion, what, v, own)
	case v < own:
		return fmt.Errorf("%w: its %s has format %d, this one reads format %d: start the version that wrote it", ErrVersion, what,
			v, own)
	}
	return nil
}

// Settings is the canonical text that the journal of the captured state was begun with.
func (t *Restore) Settings() []byte { return t.replica.settings }

// Params are the settings in force in the captured state.
func (t *Restore) Params() Params { return t.replica.params }

// Bounds returns the bounds in force in the captured state.
func (t *Restore) Bounds() Bounds { return t.replica.bounds }

// Routes returns the routes in force in the captured state.
func (t *Restore) Routes() Routes { return t.replica.routes }

// Next is the journal offset that the restored replica applies next.
func (t *Restore) Next() int64 { return t.replica.next }

// Hash is the running hash of the captured state.
func (t *Restore) Hash() uint64 { return uint64(t.replica.hash) }

func (r *Replica) addPartition(p *partition) {
	r.byID[p.source] = uint32(len(r.partitions))
	r.partitions = append(r.partitions, p)
}

// Decode decodes a segment; it keeps no reference to data. It may be called from several goroutines at once, and in any
// order.
func (t *Restore) Decode(data []byte) (*Decoded, error) {
	if len(data) > 0 && data[0] == sideVersion {
		return decodeSide(wire.NewReader(data[1:]))
	}
	rd := wire.NewReader(data)
	if err := readVersion(&rd, "segment", segmentVersion); err != nil {
		return nil, err
	}
	number, first, sealed := rd.Uvarint(), ref(rd.Uvarint()), rd.Byte() == 1
	d := &Decoded{segment: t.replica.window.newSegment(number, first)}
	keys, n := rd.Uvarint(), rd.Count(t.replica.keys+1)
	if want := uint64(t.replica.keys + entry.DigestBytes); keys != want {
		return nil, fmt.Errorf("%w: segment %d has %d bytes of keys and digest for a document, not %d", ErrCorrupt, number, keys,
			want)
	}
	d.segment.base = base{offset: rd.Varint(), applied: rd.Varint()}
	records := rd.Bytes()
	all := rd.Take(keys * uint64(n))
	if rd.Short() || rd.Len() != 0 || n == 0 || !first.possible() {
		return nil, fmt.Errorf("%w: segment %d of %d documents", ErrCorrupt, number, n)
	}
	if err := t.documents(d, n, records, all); err != nil {
		return nil, err
	}
	d.segment.sealed = sealed
	return d, nil
}

// Add takes the next segment, which the replica owns from then on, or a part of the side table, which must come after
// its segments.
func (t *Restore) Add(d *Decoded) error {
	if d.side != nil {
		return t.addSide(d)
	}
	w := &t.replica.window
	if !w.follows(d.segment) || int(d.sources) > len(t.replica.partitions) {
		return fmt.Errorf("%w: segment %d does not fit", ErrCorrupt, d.Number())
	}
	w.push(d.segment)
	w.end = d.segment.first + ref(d.segment.n)
	w.bytes += d.bytes
	return nil
}

// follows says whether a segment may come next. The first segment must hold the oldest document, or be the open one
// whose documents have all expired. Each later segment must begin where the one before ended.
func (w *window) follows(s *segment) bool {
	if s.number > w.number || s.n > w.mostDocuments() {
		return false
	}
	if n := len(w.segments); n > 0 {
		last := w.segments[n-1]
		return last.sealed && s.number == last.number+1 && s.first == w.end
	}
	after := s.first + ref(s.n)
	return s.first <= w.oldest && (w.oldest < after || w.oldest == after && !s.sealed)
}

// documents builds the block of a segment from its records and band keys, and finds where each record begins.
func (t *Restore) documents(to *Decoded, n int, records, keys []byte) error {
	s := to.segment
	s.block = makeBlock(len(records) + n*s.fixed)
	copy(s.block, records)
	for rest := records; s.n < n; s.n++ {
		begin := len(records) - len(rest)
		d, e := readDocument(rest, s.base, s.first+ref(s.n))
		decoded, after, err := entry.Decode(e, 0, nil)
		if err != nil || d.source >= 1<<31 || decoded.Empty() || begin >= linkedBit || !d.possible(s.first+ref(s.n)) ||
			!d.links.possible(len(t.replica.window.tables)) {
			return fmt.Errorf("%w: segment %d, document %d", ErrCorrupt, s.number, s.n)
		}
		own := keys[s.n*(s.fixed-atBytes):][:s.fixed-atBytes]
		s.putFixed(begin, own[:t.replica.keys], own[t.replica.keys:], !d.links.none())
		to.sources = max(to.sources, d.source+1)
		to.bytes += t.replica.window.bytesOf(len(e)-len(after), &d.links)
		rest = after
	}
	if s.used = len(records); s.n != n || s.at(n-1) >= s.used {
		return fmt.Errorf("%w: segment %d of %d documents", ErrCorrupt, s.number, n)
	}
	return nil
}

// Replica applies the side table, links the buckets and returns the replica. The Restore cannot be used afterwards.
//
// spread distributes the linking of the bands: it calls link for each i below n, in any order and from any number of
// goroutines, and returns when all calls have returned. If spread is nil, the bands are linked one after the other.
func (t *Restore) Replica(spread func(n int, link func(i int))) (*Replica, error) {
	r := t.replica
	w := &r.window
	err := t.changes(func(at ref, to change) {
		s, i := w.at(at)
		s.changes.set(i, to)
	})
	if err != nil {
		return nil, err
	}
	if spread == nil {
		spread = oneByOne
	}
	w.recount()
	spread(w.linkGroups(), func(group int) { w.linkGroup(group, w.visible()) })
	return r, nil
}

// changes reads the side table in the state. All segments must have been added.
func (t *Restore) changes(apply func(at ref, to change)) error {
	w := &t.replica.window
	if !w.allThere() {
		return fmt.Errorf("%w: segments are missing", ErrCorrupt)
	}
	for t.side.Len() > 0 {
		at, to := ref(t.side.Uvarint()), readChange(&t.side)
		if t.side.Short() || at < w.firstRef() || at >= w.end ||
			int(to.emission.source) >= len(t.replica.partitions) {
			return fmt.Errorf("%w: side table", ErrCorrupt)
		}
		apply(at, to)
	}
	return nil
}

// allThere says whether the last segment is the latest one. A window has a segment as soon as a document was indexed.
func (w *window) allThere() bool {
	var last uint64
	if n := len(w.segments); n > 0 {
		last = w.segments[n-1].number
	}
	return last == w.number
}

func oneByOne(n int, link func(i int)) {
	for i := range n {
		link(i)
	}
}

// recount subtracts the bytes of those documents of the first segment that have left the window, and notes the places
// of documents that entered again.
func (w *window) recount() {
	for r := w.firstRef(); r < w.oldest; r++ {
		s, i := w.at(r)
		d, rest := readDocument(s.record(i), s.base, r)
		w.bytes -= w.bytesOf(len(rest), &d.links)
	}
	for r := w.oldest; w.places != nil && r < w.end; r++ {
		d := w.head(r)
		w.placed(&d, r)
	}
}

func readPartition(rd *wire.Reader) *partition {
	p := &partition{source: readSource(rd), name: string(rd.Bytes()), among: int32(rd.Uvarint())}
	p.Epoch, p.Start, p.Base = uint32(rd.Uvarint()), rd.Varint(), rd.Varint()
	for n := rd.Count(3); n > 0; n-- {
		p.falls = append(p.falls, fall{before: readPosition(rd), from: rd.Varint()})
	}
	for n := rd.Count(13); n > 0; n-- {
		p.held = append(p.held, readVerdict(rd))
	}
	return p
}

func readSource(rd *wire.Reader) (s entry.Source) {
	copy(s.Topic[:], rd.Take(16))
	s.Partition = int32(rd.Varint())
	return s
}

func readPosition(rd *wire.Reader) Position {
	return Position{Offset: rd.Varint(), Entry: int32(rd.Varint())}
}

func readVerdict(rd *wire.Reader) Verdict {
	v := Verdict{Offset: rd.Varint(), Position: readPosition(rd), Content: rd.Uint64()}
	flags := rd.Byte()
	v.Forgotten, v.Reemitted, v.Cut = flags&1 != 0, flags&2 != 0, flags&4 != 0
	v.Match.Method = Method(rd.Byte())
	if flags&8 != 0 {
		v.Late = rd.Varint()
	}
	if !v.Matched() {
		v.Reemitted = false
		return v
	}
	m := &v.Match
	m.Source, m.Topic, m.Offset = readSource(rd), string(rd.Bytes()), rd.Varint()
	m.Position, m.Time, m.ID = readPosition(rd), rd.Varint(), string(rd.Bytes())
	m.Similarity = Similarity{Num: uint32(rd.Uvarint()), Den: uint32(rd.Uvarint())}
	m.Copy = rd.Uvarint()
	return v
}
