package journal

import (
	"encoding/binary"
	"errors"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/wire"
)

// appendErase appends an Erase: the number of targets, and of each the journal offset, as the difference to the target
// before, and the number of the entry.
func appendErase(dst []byte, rec *index.Erase) []byte {
	dst = appendHeader(dst, kindErase, rec.Header)
	dst = binary.AppendUvarint(dst, uint64(len(rec.Targets)))
	var before int64
	for _, t := range rec.Targets {
		dst = binary.AppendVarint(dst, t.Offset-before)
		dst = binary.AppendVarint(dst, int64(t.Entry))
		before = t.Offset
	}
	return dst
}

func decodeErase(h index.Header, rd *wire.Reader) (*index.Erase, error) {
	n := rd.Count(2)
	if rd.Short() {
		return nil, errors.New("an impossible count of targets")
	}
	rec := &index.Erase{Header: h, Targets: make([]entry.Position, n)}
	var before int64
	for i := range rec.Targets {
		before += rd.Varint()
		rec.Targets[i] = entry.Position{Offset: before, Entry: int32(rd.Varint())}
	}
	return rec, nil
}
