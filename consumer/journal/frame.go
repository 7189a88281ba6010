package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// version is the format of this program's records. It rises when the bytes of a kind change their meaning. A new kind
// needs no new version, because a program that does not know the kind stops at it as well.
const version = 3

const (
	magic      = "\x1eunj" // no text begins with the control character
	versionAt  = len(magic)
	sumAt      = versionAt + 1
	frameBytes = sumAt + crc32.Size
)

// ErrVersion is wrapped where a record is sound and of a format that this program does not read.
var ErrVersion = errors.New("written by another version of unecho")

// Reason says why a record is a stray.
type Reason string

// Reasons.
const (
	Unframed  Reason = "unframed"  // not a journal record, or an empty value
	Damaged   Reason = "damaged"   // begins like a journal record, and its checksum is wrong
	Malformed Reason = "malformed" // sound, but its body does not decode: a program of this format wrote it wrong
	Foreign   Reason = "foreign"   // of another consumer group
	Marker    Reason = "marker"    // the end of a transaction, which no member makes in the journal
)

// Reasons returns all reasons.
func Reasons() []Reason { return []Reason{Unframed, Damaged, Malformed, Foreign, Marker} }

// StrayError says that a record was not written by a member of the group, or is no longer as it was written. Such a
// record changes nothing, on every member alike: whether it is a stray depends on its bytes only.
type StrayError struct {
	Offset int64
	Reason Reason
	Owner  string // Foreign: the other group
	Sign   bool   // Foreign: only a member that takes the journal for its own group's writes such a record
	Err    error
}

// Error says what is wrong with the record.
func (e *StrayError) Error() string { return fmt.Sprintf("record %d: %v", e.Offset, e.Err) }

// Unwrap returns the cause.
func (e *StrayError) Unwrap() error { return e.Err }

func stray(why Reason, format string, args ...any) error {
	return &StrayError{Reason: why, Err: fmt.Errorf(format, args...)}
}

// openFrame begins a framed value; closeFrame fills in its checksum.
func openFrame(dst []byte) []byte {
	return append(append(dst, magic...), version, 0, 0, 0, 0)
}

func closeFrame(value []byte) {
	binary.LittleEndian.PutUint32(value[sumAt:], sum(value))
}

// sum returns the checksum over all of a framed value but itself, so that every changed bit is noticed. That includes
// the bits of the version, which would otherwise look like another format.
func sum(value []byte) uint32 {
	castagnoli := crc32.MakeTable(crc32.Castagnoli) // the library builds it only once
	return crc32.Update(crc32.Checksum(value[:sumAt], castagnoli), castagnoli, value[frameBytes:])
}

// unframe returns the part behind the frame.
func unframe(value []byte) ([]byte, error) {
	if len(value) < frameBytes || string(value[:versionAt]) != magic {
		return nil, stray(Unframed, "%d bytes that are no journal record", len(value))
	}
	if got, want := sum(value), binary.LittleEndian.Uint32(value[sumAt:]); got != want {
		return nil, stray(Damaged, "its checksum is %08x, and says %08x", got, want)
	}
	if v := value[versionAt]; v != version {
		return nil, fmt.Errorf("%w: its format is %d, this one reads format %d", ErrVersion, v, version)
	}
	return value[frameBytes:], nil
}
