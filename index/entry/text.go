package entry

import (
	"fmt"
	"slices"

	"github.com/klauspost/compress/s2"
)

// MaxText bounds the bytes of normalised text that evidence may expand to, so that a false length takes no memory.
const MaxText = 64 << 20

// AppendText appends the evidence kind Text of a normalised text of at most MaxText: the text, compressed (S2 block
// format).
func AppendText(dst, normalized []byte) []byte {
	dst = slices.Grow(dst, s2.MaxEncodedLen(len(normalized)))
	return dst[:len(dst)+len(s2.Encode(dst[len(dst):cap(dst)], normalized))]
}

// DecompressText returns the normalised text, in dst if its capacity suffices.
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

// TextLen returns the length of an entry's normalised text without reading it, or 0 if its evidence is of another kind.
func TextLen(e *Entry) int {
	if e.Kind != Text {
		return 0
	}
	n, err := s2.DecodedLen(e.Evidence)
	if err != nil {
		return 0
	}
	return n
}
