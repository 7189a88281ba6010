package journal

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/unecho/unecho/index"
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
