package index

import (
	"fmt"

	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/window"
	"github.com/unecho/unecho/index/wire"
)

// Restore rebuilds a replica from what Capture gave. NewRestore decodes the state, Decode decodes one segment, Add
// takes the segments in order, and Replica links them. Decode and the linking of the bands may be spread over several
// goroutines.
type Restore struct {
	replica *Replica
	window  *window.Restore
	side    wire.Reader
}

// NewRestore decodes the state. Params and fingerprint must be those of the captured replica: a snapshot made under
// other settings is useless.
func NewRestore(p Params, fingerprint uint64, state []byte) (*Restore, error) {
	replica, err := NewReplica(p, fingerprint)
	if err != nil {
		return nil, err
	}
	rd := wire.NewReader(state)
	if err := wire.ReadVersion(&rd, "state", stateVersion); err != nil {
		return nil, err
	}
	settings := rd.Bytes()
	if rd.Byte() == 1 {
		replica.fixSettings(settings)
	}
	replica.routing.set(Routes{Number: uint32(rd.Uvarint()), Text: rd.Bytes()})
	if rd.Byte() == 1 && !readBounds(&rd, replica) {
		return nil, fmt.Errorf("%w: state", ErrCorrupt)
	}
	replica.next = rd.Varint()
	replica.hash = running(rd.Uint64())
	replica.clocks.arrival, replica.clocks.event = rd.Varint(), rd.Varint()
	for n := rd.Count(20); n > 0; n-- {
		replica.sources.add(readPartition(&rd))
	}
	replica.fed = rd.Uvarint()
	for _, p := range replica.sources.rows {
		p.fed = Fed{Through: rd.Varint(), Place: rd.Varint()}
	}
	replica.filling.read(&rd, replica.sources.rows)
	if !replica.requests.read(&rd, len(replica.sources.rows)) || !replica.find.popular.read(&rd) {
		return nil, fmt.Errorf("%w: state", ErrCorrupt)
	}
	if !replica.find.window.Restore().Read(&rd) || len(replica.sources.byID) != len(replica.sources.rows) {
		return nil, fmt.Errorf("%w: state", ErrCorrupt)
	}
	replica.marks.set(replica.next, replica.hash)
	replica.confirmed = replica.next
	return &Restore{replica: replica, window: replica.find.window.Restore(), side: rd}, nil
}

// readBounds reads what appendBounds wrote, and returns false if that is not possible.
func readBounds(rd *wire.Reader, r *Replica) bool {
	to := Bounds{Number: uint32(rd.Uvarint()), Text: rd.Bytes()}
	flags := rd.Byte()
	if rd.Short() || to.Number == 0 || !r.inForce || !r.change(to) {
		return false
	}
	r.find.window.Remember(flags&1 != 0, flags&2 != 0)
	r.judge.narrowing = flags&4 != 0
	return true
}

// read reads what append wrote.
func (f *filling) read(rd *wire.Reader, rows []*partition) {
	f.Number, f.Plan, f.Entries = uint32(rd.Uvarint()), append([]byte(nil), rd.Bytes()...), rd.Uvarint()
	f.Kept, f.TooOld, f.Empty = rd.Uvarint(), rd.Uvarint(), rd.Uvarint()
	f.last = rd.Varint()
	for _, p := range rows {
		p.filled = FilledPart{Through: rd.Varint(), Place: rd.Varint(), Rejected: rd.Uvarint()}
	}
}

// Settings is the canonical text that the journal of the captured state was begun with.
func (t *Restore) Settings() []byte { return t.replica.settings }

// Routes returns the routes in force in the captured state.
func (t *Restore) Routes() Routes { return t.replica.routing.routes }

// Next is the journal offset that the restored replica applies next.
func (t *Restore) Next() int64 { return t.replica.next }

// Hash is the running hash of the captured state.
func (t *Restore) Hash() uint64 { return uint64(t.replica.hash) }

// Replica applies the side table, links the buckets and returns the replica. The Restore cannot be used afterwards.
//
// spread distributes the linking of the bands: it calls link for each i below n, in any order and from any number of
// goroutines, and returns when all calls have returned. If spread is nil, the bands are linked one after the other.
func (t *Restore) Replica(spread func(n int, link func(i int))) (*Replica, error) {
	if err := t.window.ReadSide(&t.side, len(t.replica.sources.rows), true); err != nil {
		return nil, err
	}
	t.window.Link(spread)
	return t.replica, nil
}

// Decode decodes a segment; it keeps no reference to data. It may be called from several goroutines at once, and in any
// order.
func (t *Restore) Decode(data []byte) (*window.Decoded, error) {
	return t.window.Decode(data)
}

// Add takes the next segment, which the replica owns from then on, or a part of the side table, which must come after
// its segments.
func (t *Restore) Add(d *window.Decoded) error {
	return t.window.Add(d, len(t.replica.sources.rows))
}

// Found has blocks find the segments that are added; see window.Cover.
func (t *Restore) Found(blocks []*window.Block) { t.window.Found(blocks) }

// Files has blocks be adopted between two segments.
func (t *Restore) Files() *window.Files { return t.replica.find.window.Files() }

// Check compares the shapes of all segments, in order, with the state. It finds what Add and Replica would find,
// without the documents in memory. The Restore cannot be used afterwards.
func (t *Restore) Check(shapes []window.Shape) error {
	for i := range shapes {
		if err := t.window.AddShape(&shapes[i], len(t.replica.sources.rows)); err != nil {
			return err
		}
	}
	return t.window.ReadSide(&t.side, len(t.replica.sources.rows), false)
}

func readPartition(rd *wire.Reader) *partition {
	p := &partition{source: entry.ReadSource(rd), name: string(rd.Bytes()), among: int32(rd.Uvarint())}
	p.Epoch, p.Start, p.Base = uint32(rd.Uvarint()), rd.Varint(), rd.Varint()
	for n := rd.Count(3); n > 0; n-- {
		p.falls = append(p.falls, fall{before: entry.ReadPosition(rd), from: rd.Varint()})
	}
	for n := rd.Count(13); n > 0; n-- {
		p.held = append(p.held, readVerdict(rd))
	}
	return p
}

func readVerdict(rd *wire.Reader) Verdict {
	v := Verdict{Offset: rd.Varint(), Position: entry.ReadPosition(rd), Content: rd.Uint64()}
	flags := rd.Byte()
	v.Forgotten, v.Reemitted, v.Cut = flags&1 != 0, flags&2 != 0, flags&4 != 0
	v.Match.Method = compare.Method(rd.Byte())
	if flags&8 != 0 {
		v.Late = rd.Varint()
	}
	if !v.Matched() {
		v.Reemitted = false
		return v
	}
	m := &v.Match
	m.Source, m.Topic, m.Offset = entry.ReadSource(rd), string(rd.Bytes()), rd.Varint()
	m.Position, m.Time, m.ID = entry.ReadPosition(rd), rd.Varint(), string(rd.Bytes())
	m.Similarity = compare.Similarity{Num: uint32(rd.Uvarint()), Den: uint32(rd.Uvarint())}
	m.Copy = rd.Uvarint()
	return v
}
