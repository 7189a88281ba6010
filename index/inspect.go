package index

import (
	"fmt"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/wire"
)

// CapturedSettings reads from a captured state the canonical text in force, for those who do not know the Params that
// NewRestore takes. It is nil where none was in force.
func CapturedSettings(state []byte) ([]byte, error) {
	rd := wire.NewReader(state)
	if err := readVersion(&rd, "state"); err != nil {
		return nil, err
	}
	settings, inForce := rd.Bytes(), rd.Byte() == 1
	if rd.Short() {
		return nil, fmt.Errorf("%w: state", ErrCorrupt)
	}
	if !inForce {
		return nil, nil
	}
	return append([]byte{}, settings...), nil
}

// SourcePartition is a row of the source table, for people.
type SourcePartition struct {
	Source entry.Source
	Topic  string // its name
	Partition
	Held int // verdicts not known to be committed
}

// Partitions is the source table of the captured state, in the order of its numbers.
func (t *Restore) Partitions() []SourcePartition {
	rows := make([]SourcePartition, len(t.replica.partitions))
	for i, p := range t.replica.partitions {
		rows[i] = SourcePartition{Source: p.source, Topic: p.name, Partition: p.Partition, Held: len(p.held)}
	}
	return rows
}

// Shape is what remains of a decoded segment for Check.
type Shape struct {
	Number    uint64
	Documents int
	Sealed    bool
	sources   uint32
}

// Shape describes the segment.
func (d *Decoded) Shape() Shape {
	return Shape{Number: d.Number(), Documents: d.Documents(), Sealed: d.Sealed(), sources: d.sources}
}

// Check holds the shapes of all segments, in order, against the state: it finds what Add and Replica would find, without the
// documents in memory. The Restore is of no use afterwards.
func (t *Restore) Check(shapes []Shape) error {
	w := &t.replica.window
	end := w.oldest
	for i, s := range shapes {
		if i > 0 && (!shapes[i-1].Sealed || s.Number != shapes[i-1].Number+1) || i == 0 && s.Number != w.oldest.segment() ||
			int(s.sources) > len(t.replica.partitions) {
			return fmt.Errorf("%w: segment %d does not fit", ErrCorrupt, s.Number)
		}
		end = newRef(s.Number, s.Documents)
		if s.Sealed {
			end = newRef(s.Number+1, 0)
		}
	}
	if len(shapes) == 0 && w.oldest.index() != 0 || end < w.oldest {
		return fmt.Errorf("%w: segments are missing", ErrCorrupt)
	}
	for t.side.Len() > 0 {
		at, _, _ := ref(t.side.Uvarint()), t.side.Uvarint(), t.side.Byte()
		i := at.segment() - w.oldest.segment()
		if t.side.Short() || at.segment() < w.oldest.segment() || i >= uint64(len(shapes)) || at.index() >= shapes[i].Documents {
			return fmt.Errorf("%w: side table", ErrCorrupt)
		}
	}
	return nil
}
