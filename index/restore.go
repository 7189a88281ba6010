package index

import (
	"fmt"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/wire"
)

// Restore rebuilds a replica from what Capture gave: first the state, then each segment in order, then Replica.
type Restore struct {
	replica *Replica
	side    wire.Reader
}

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
	return &Restore{replica: replica, side: rd}, nil
}

// Settings is the canonical text in force in the captured state.
func (t *Restore) Settings() []byte { return t.replica.settings }

// Next is the journal offset that the restored replica applies next.
func (t *Restore) Next() int64 { return t.replica.next }

func (r *Replica) addPartition(p *partition) {
	r.byID[p.source] = uint32(len(r.partitions))
	r.partitions = append(r.partitions, p)
}

// Segment adds the next segment. It keeps no reference to data.
func (t *Restore) Segment(data []byte) error {
	r := t.replica
	rd := wire.NewReader(data)
	if v := rd.Byte(); v != stateVersion {
		return fmt.Errorf("%w: segment of version %d, this program reads version %d", ErrCorrupt, v, stateVersion)
	}
	s := &segment{number: rd.Uvarint()}
	sealed := rd.Byte() == 1
	keys, n := rd.Uvarint(), rd.Count(8)
	if int(keys) != r.keys || !r.window.follows(s.number) {
		return fmt.Errorf("%w: segment %d does not fit", ErrCorrupt, s.number)
	}
	if err := t.documents(s, n, &rd); err != nil {
		return err
	}
	if rd.Len() != 0 || s.sealed != sealed {
		return fmt.Errorf("%w: segment %d of %d documents", ErrCorrupt, s.number, n)
	}
	r.window.segments = append(r.window.segments, s)
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

func (t *Restore) documents(s *segment, n int, rd *wire.Reader) error {
	r := t.replica
	var d document
	for range n {
		d.position = Position{Offset: d.position.Offset + rd.Varint(), Entry: int32(rd.Varint())}
		d.applied += rd.Varint()
		source := rd.Uvarint()
		e, rest, err := entry.Decode(rd.Rest(), r.keys, nil)
		if err != nil || s.sealed || source >= uint64(len(r.partitions)) || e.Empty() {
			return fmt.Errorf("%w: segment %d, document %d", ErrCorrupt, s.number, len(s.docs))
		}
		*rd = wire.NewReader(rest)
		d.source, d.offset, d.content, d.scope, d.bytes = uint32(source), e.Offset, e.Content, e.Scope, EntryBytes(r.params, &e)
		s.add(&e, d, r.window.bands)
	}
	return nil
}

// Replica links the buckets, applies the side table and returns the replica; the Restore is of no use afterwards.
func (t *Restore) Replica() (*Replica, error) {
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
	r.window.rebuild()
	return r, nil
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
