package journal

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/wire"
)

func appendBounds(dst []byte, b *index.Bounds) []byte {
	return wire.AppendBytes(binary.AppendUvarint(dst, uint64(b.Number)), b.Text)
}

// readBounds reads bounds. Those of a later version end whoever reads them, because what they say would be ignored.
func readBounds(rd *wire.Reader) (b index.Bounds, err error) {
	if b.Number, err = readUint32(rd, "bounds"); err != nil {
		return b, err
	}
	b.Text = rd.Bytes()
	if rd.Short() {
		return b, nil // the caller says so
	}
	if _, err = index.DefaultParams().With(b.Text); errors.Is(err, index.ErrBounds) {
		return b, fmt.Errorf("%w: %w", ErrVersion, err)
	}
	return b, err
}

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
