package entry

import (
	"encoding/binary"

	"github.com/unecho/unecho/index/wire"
)

// Position is a place in the journal: the journal offset of a record and the number of an entry within it, from 0.
type Position struct {
	Offset int64
	Entry  int32
}

// Before orders positions.
func (p Position) Before(q Position) bool {
	return p.Offset < q.Offset || p.Offset == q.Offset && p.Entry < q.Entry
}

// AppendPosition encodes a position.
func AppendPosition(dst []byte, p Position) []byte {
	return binary.AppendVarint(binary.AppendVarint(dst, p.Offset), int64(p.Entry))
}

// ReadPosition reads what AppendPosition wrote.
func ReadPosition(rd *wire.Reader) Position {
	return Position{Offset: rd.Varint(), Entry: int32(rd.Varint())}
}

// AppendSource encodes a source partition.
func AppendSource(dst []byte, s Source) []byte {
	return binary.AppendVarint(append(dst, s.Topic[:]...), int64(s.Partition))
}

// ReadSource reads what AppendSource wrote.
func ReadSource(rd *wire.Reader) (s Source) {
	copy(s.Topic[:], rd.Take(16))
	s.Partition = int32(rd.Varint())
	return s
}
