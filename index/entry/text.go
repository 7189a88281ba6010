package entry

import (
	"fmt"

	"github.com/klauspost/compress/s2"
)

// MaxText bounds the normalised text that evidence may expand to, in bytes: a length that lies must not take memory.
const MaxText = 64 << 20

// CompressText appends the compressed form of a normalised text to dst[:0] and returns it (S2 block format). It reuses
// dst where its capacity suffices.
func CompressText(dst, normalized []byte) []byte {
	return s2.Encode(dst[:cap(dst)], normalized)
}

// DecompressText returns the normalised text, in dst where its capacity suffices.
func DecompressText(dst, evidence []byte) ([]byte, error) {
	n, err := s2.DecodedLen(evidence)
	if err != nil {
		return nil, fmt.Errorf("%w: text: %w", ErrCorrupt, err)
	}
	if n > MaxText {
		return nil, fmt.Errorf("%w: text of %d bytes, the bound is %d", ErrCorrupt, n, MaxText)
	}
	text, err := s2.Decode(dst[:cap(dst)], evidence)
	if err != nil {
		return nil, fmt.Errorf("%w: text: %w", ErrCorrupt, err)
	}
	return text, nil
}
