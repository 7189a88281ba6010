package index

import (
	"fmt"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/wire"
)

// CapturedSettings reads the canonical settings text in force from a captured state. It is for callers that do not know
// the Params that NewRestore takes. It returns nil if no settings were in force.
func CapturedSettings(state []byte) ([]byte, error) {
	rd := wire.NewReader(state)
	if err := wire.ReadVersion(&rd, "state", stateVersion); err != nil {
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

// Partitions returns the source table of the captured state, in the order of the partitions' numbers.
func (t *Restore) Partitions() []SourcePartition {
	rows := make([]SourcePartition, 0, len(t.replica.sources.rows))
	for _, p := range t.replica.sources.rows {
		if p.Epoch > 0 { // else only fills name it
			rows = append(rows, SourcePartition{Source: p.source, Topic: p.name, Partition: p.Partition, Held: len(p.held)})
		}
	}
	return rows
}
