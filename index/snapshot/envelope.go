package snapshot

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// Kind says what an envelope holds.
type Kind byte

// Kinds of envelopes.
const (
	KindManifest Kind = 1
	KindSegment  Kind = 2
)

// String returns the name of the kind.
func (k Kind) String() string {
	switch k {
	case KindManifest:
		return "manifest"
	case KindSegment:
		return "segment"
	}
	return fmt.Sprintf("kind %d", byte(k))
}

const (
	magic   = "unecho"
	version = 1
	headLen = 6 + 1 + 1 + 8
	tailLen = 8
	// Overhead is what an envelope adds to its payload, in bytes.
	Overhead = headLen + tailLen
	// MaxBytes bounds a payload: PostgreSQL takes at most 1 GiB in one value, and needs memory for several copies of
	// it.
	MaxBytes = 256 << 20
)

// Seal returns payload in an envelope, in new memory.
func Seal(kind Kind, payload []byte) []byte {
	b := make([]byte, 0, len(payload)+Overhead)
	b = append(b, magic...)
	b = append(b, version, byte(kind))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(payload)))
	b = append(b, payload...)
	return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b))
}

// SealSegment returns what a store keeps under the name of a segment.
func SealSegment(name string, data []byte) ([]byte, error) {
	switch {
	case !ValidSegmentName(name):
		return nil, errors.New("that is not the name of a segment")
	case len(data) > MaxBytes:
		return nil, fmt.Errorf("it has %d bytes, the bound is %d", len(data), MaxBytes)
	}
	return Seal(KindSegment, data), nil
}

// Open checks an envelope and returns its payload, which points into data. For damage it returns a *CorruptError, for a
// sound envelope of a later version ErrNewerFormat.
func Open(kind Kind, data []byte) ([]byte, error) {
	corrupt := func(offset int, err error) ([]byte, error) {
		return nil, &CorruptError{Name: kind.String(), Offset: int64(offset), Err: err}
	}
	if len(data) < Overhead {
		return corrupt(len(data), errTorn)
	}
	if string(data[:len(magic)]) != magic {
		return corrupt(0, errMagic)
	}
	body := data[:len(data)-tailLen]
	sound := xxhash.Sum64(body) == binary.LittleEndian.Uint64(data[len(body):])
	if v := data[len(magic)]; sound && v > version {
		return nil, fmt.Errorf("%w: it has format %d, this one reads up to %d; upgrade this member", ErrNewerFormat, v, version)
	}
	// The length comes before the checksum only to tell a torn write from flipped bits.
	if n := binary.LittleEndian.Uint64(data[len(magic)+2:]); n != uint64(len(body)-headLen) && !sound {
		return corrupt(len(data), fmt.Errorf("%w: %d bytes of payload, the header says %d", errTorn, len(body)-headLen, n))
	} else if n != uint64(len(body)-headLen) {
		return corrupt(len(magic)+2, errLength)
	}
	switch {
	case !sound:
		return corrupt(len(body), errChecksum)
	case data[len(magic)] != version:
		return corrupt(len(magic), fmt.Errorf("format %d is unknown", data[len(magic)]))
	case Kind(data[len(magic)+1]) != kind:
		return corrupt(len(magic)+1, fmt.Errorf("it holds a %s", Kind(data[len(magic)+1])))
	}
	return body[headLen:], nil
}

var (
	errTorn     = errors.New("it ends early or was written in part")
	errMagic    = errors.New("it does not begin as an envelope")
	errLength   = errors.New("the length in its header is not its length")
	errChecksum = errors.New("the checksum does not match the content")
)
