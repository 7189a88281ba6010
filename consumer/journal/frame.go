package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// version is the format of this program's records. It rises when the bytes of a kind change their meaning; a kind that is new
// needs no new version, for whoever does not know it stops there as well.
const version = 2

// bare is the first format, which had no frame: its version, and then what stands behind the frame now.
const bare = 1

const (
	magic      = "\x1eunj" // a decoder of the bare format takes a first byte from 2 to 31 for a later version, and stops
	versionAt  = len(magic)
	sumAt      = versionAt + 1
	frameBytes = sumAt + crc32.Size
)

// ErrNewer is wrapped where a record is sound and of a format that this program does not read yet.
var ErrNewer = errors.New("written by a newer unecho")

// Reason says why a record is a stray.
type Reason string

// Reasons.
const (
	Unframed  Reason = "unframed"  // no journal record at all, or an empty value
	Damaged   Reason = "damaged"   // begins like one, and its checksum is wrong
	Malformed Reason = "malformed" // sound, and its body does not decode: a program of this format wrote it wrong
	Foreign   Reason = "foreign"   // of another consumer group
	Marker    Reason = "marker"    // the end of a transaction, which no member makes in the journal
)

// Reasons are all there are.
func Reasons() []Reason { return []Reason{Unframed, Damaged, Malformed, Foreign, Marker} }

// StrayError says that a record is none that a member of the group wrote, or is one no more. It changes nothing, on every member
// alike: whether it is one depends on its bytes only.
type StrayError struct {
	Offset int64
	Reason Reason
	Owner  string // Foreign: the other group
	Sign   bool   // Foreign: only a member that takes the journal for its own writes such
	Err    error
}

// Error says what is wrong with the record.
func (e *StrayError) Error() string { return fmt.Sprintf("record %d: %v", e.Offset, e.Err) }

// Unwrap returns the cause.
func (e *StrayError) Unwrap() error { return e.Err }

func stray(why Reason, format string, args ...any) error {
	return &StrayError{Reason: why, Err: fmt.Errorf(format, args...)}
}

func foreign(owner []byte) error { return fmt.Errorf("it is of group %q", owner) }

// openFrame begins a framed value; closeFrame fills in its checksum.
func openFrame(dst []byte) []byte {
	return append(append(dst, magic...), version, 0, 0, 0, 0)
}

func closeFrame(value []byte) {
	binary.LittleEndian.PutUint32(value[sumAt:], sum(value))
}

// sum is over all of a framed value but itself, so that no bit of it can fall unnoticed: not even one of the version, which
// would look like a newer format.
func sum(value []byte) uint32 {
	castagnoli := crc32.MakeTable(crc32.Castagnoli) // made once, by the library
	return crc32.Update(crc32.Checksum(value[:sumAt], castagnoli), castagnoli, value[frameBytes:])
}

// unframe returns what stands behind the frame.
func unframe(value []byte) ([]byte, error) {
	if len(value) > 0 && value[0] == bare {
		return value[1:], nil
	}
	if len(value) < frameBytes || string(value[:versionAt]) != magic {
		return nil, stray(Unframed, "%d bytes that are no journal record", len(value))
	}
	if got, want := sum(value), binary.LittleEndian.Uint32(value[sumAt:]); got != want {
		return nil, stray(Damaged, "its checksum is %08x, and says %08x", got, want)
	}
	switch v := value[versionAt]; {
	case v > version:
		return nil, fmt.Errorf("%w: its format is %d, this one reads format %d", ErrNewer, v, version)
	case v < version:
		return nil, stray(Malformed, "a frame of format %d, which has none", v)
	}
	return value[frameBytes:], nil
}

// unknownKind is about a sound record. Within this format it is of a later version, which may have acted on it, so that passing
// over it would let replicas differ. The bare format has got no more kinds.
func unknownKind(kind byte, value []byte) error {
	if value[0] == bare {
		return stray(Unframed, "%d bytes that are no journal record", len(value))
	}
	return fmt.Errorf("%w: its kind is %d, this one reads kinds below %d", ErrNewer, kind, kinds)
}

// undecoded is the reason where a body does not decode.
func undecoded(value []byte) Reason {
	if value[0] == bare {
		return Unframed
	}
	return Malformed
}
