package index

import (
	"fmt"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/wire"
)

// Restore rebuilds a replica from what Capture gave: NewRestore decodes the state, Decode a segment each, Add takes them in
// order, and Replica links them. Decode and the linking of the bands may be spread over several goroutines.
type Restore struct {
	replica *Replica
	side    wire.Reader
}

// Decoded is a captured segment, decoded and not yet added.
type Decoded struct {
	segment *segment
	sources uint32 // its documents have source numbers below
}

// Number ascends from segment to segment.
func (d *Decoded) Number() uint64 { return d.segment.number }

// Documents is the number of documents in the segment.
func (d *Decoded) Documents() int { return len(d.segment.docs) }

// Sealed says that the segment will never change.
func (d *Decoded) Sealed() bool { return d.segment.sealed }

// NewRestore decodes the state. Params and fingerprint must be those of the replica that was captured: a snapshot of other
// settings is of no use.
func NewRestore(p Params, fingerprint uint64, state []byte) (*Restore, error) {
	replica, err := NewReplica(p, fingerprint)
	if err != nil {
		return nil, err
	}
	rd := wire.NewReader(state)
	if v := rd.Byte(); v != stateVersion {
		return nil, fmt.Errorf("%w: state of version %d, this program reads version %d", ErrCorrupt, v, stateVersion)
	}
	settings := rd.Bytes()
	if rd.Byte() == 1 {
		replica.settings = append([]byte{}, settings...)
		replica.inForce = fingerprint == Fingerprint(settings)
	}
	replica.next = rd.Varint()
	replica.hash = running(rd.Uint64())
	replica.clocks.arrival, replica.clocks.event = rd.Varint(), rd.Varint()
	for n := rd.Count(20); n > 0; n-- {
		replica.addPartition(readPartition(&rd))
	}
	replica.window.oldest = ref(rd.Uvarint())
	if rd.Short() || len(replica.byID) != len(replica.partitions) || replica.window.oldest < newRef(1, 0) {
		return nil, fmt.Errorf("%w: state", ErrCorrupt)
	}
	replica.marks.set(replica.next, replica.hash)
	replica.confirmed = replica.next
	return &Restore{replica: replica, side: rd}, nil
}

// Settings is the canonical text in force in the captured state.
func (t *Restore) Settings() []byte { return t.replica.settings }

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
	rd := wire.NewReader(data)
	if v := rd.Byte(); v != stateVersion {
		return nil, fmt.Errorf("%w: segment of version %d, this program reads version %d", ErrCorrupt, v, stateVersion)
	}
	d := &Decoded{segment: &segment{number: rd.Uvarint()}}
	sealed := rd.Byte() == 1
	keys, n := rd.Uvarint(), rd.Count(8)
	if keys != uint64(t.replica.keys) {
		return nil, fmt.Errorf("%w: segment %d has band keys of %d bytes", ErrCorrupt, d.Number(), keys)
	}
	if err := t.documents(d, n, &rd); err != nil {
		return nil, err
	}
	if rd.Len() != 0 || d.Sealed() != sealed {
		return nil, fmt.Errorf("%w: segment %d of %d documents", ErrCorrupt, d.Number(), n)
	}
	return d, nil
}

// Add takes the next segment, which is the replica's from now on.
func (t *Restore) Add(d *Decoded) error {
	r := t.replica
	if !r.window.follows(d.Number()) || int(d.sources) > len(r.partitions) {
		return fmt.Errorf("%w: segment %d does not fit", ErrCorrupt, d.Number())
	}
	r.window.segments = append(r.window.segments, d.segment)
	return nil
}

// follows says whether a segment of this number may come next: the first holds the oldest document, and no number is left
// out.
func (w *window) follows(number uint64) bool {
	if n := len(w.segments); n > 0 {
		return w.segments[n-1].sealed && number == w.segments[n-1].number+1
	}
	return number == w.oldest.segment()
}

func (t *Restore) documents(to *Decoded, n int, rd *wire.Reader) error {
	r, s := t.replica, to.segment
	var d document
	for range n {
		d.position = Position{Offset: d.position.Offset + rd.Varint(), Entry: int32(rd.Varint())}
		d.applied += rd.Varint()
		source := rd.Uvarint()
		e, rest, err := entry.Decode(rd.Rest(), r.keys, nil)
		if err != nil || s.sealed || source >= 1<<31 || e.Empty() {
			return fmt.Errorf("%w: segment %d, document %d", ErrCorrupt, s.number, len(s.docs))
		}
		*rd = wire.NewReader(rest)
		d.source, d.offset, d.content, d.scope, d.bytes = uint32(source), e.Offset, e.Content, e.Scope, EntryBytes(r.params, &e)
		s.add(&e, d, r.window.bands)
		to.sources = max(to.sources, d.source+1)
	}
	return nil
}

// Replica applies the side table, links the buckets and returns the replica; the Restore is of no use afterwards.
//
// Bands are linked by spread, which calls link for each i below n, in any order and from as many goroutines as it likes, and
// returns when all calls have. Without spread they are linked one by one.
func (t *Restore) Replica(spread func(n int, link func(i int))) (*Replica, error) {
	r := t.replica
	if len(r.window.segments) == 0 && r.window.oldest.index() != 0 || r.window.end() < r.window.oldest {
		return nil, fmt.Errorf("%w: segments are missing", ErrCorrupt)
	}
	for t.side.Len() > 0 {
		at, copies, dead := ref(t.side.Uvarint()), t.side.Uvarint(), t.side.Byte() == 1
		if t.side.Short() || !r.window.has(at) {
			return nil, fmt.Errorf("%w: side table", ErrCorrupt)
		}
		s, i := r.window.at(at)
		s.copies[i], s.dead[i] = uint32(copies), dead
	}
	r.window.recount()
	r.window.grow()
	if spread == nil {
		spread = oneByOne
	}
	spread(r.window.bands, r.window.linkBand)
	return r, nil
}

func oneByOne(n int, link func(i int)) {
	for i := range n {
		link(i)
	}
}

func (w *window) has(at ref) bool {
	if len(w.segments) == 0 || at.segment() < w.segments[0].number || at >= w.end() {
		return false
	}
	s, i := w.at(at)
	return i < len(s.docs)
}

// recount finds the number and the bytes of the visible documents.
func (w *window) recount() {
	w.visible, w.bytes = 0, 0
	for _, s := range w.segments {
		for i := range s.docs {
			if newRef(s.number, i) >= w.oldest {
				w.visible++
				w.bytes += s.docs[i].bytes
			}
		}
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
	v := Verdict{Offset: rd.Varint(), Position: readPosition(rd), Content: rd.Uint64(), Forgotten: rd.Byte() == 1}
	v.Match.Method = Method(rd.Byte())
	if v.Unique() {
		return v
	}
	m := &v.Match
	m.Source, m.Topic, m.Offset = readSource(rd), string(rd.Bytes()), rd.Varint()
	m.Position, m.Time, m.ID = readPosition(rd), rd.Varint(), string(rd.Bytes())
	m.Similarity = Similarity{Num: uint32(rd.Uvarint()), Den: uint32(rd.Uvarint())}
	m.Copy = rd.Uvarint()
	return v
}
