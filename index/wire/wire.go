// Package wire reads what the codecs of the other rooms write: LEB128 varints, little-endian numbers, and byte strings
// with their length before them. A Reader never allocates and never panics, whatever the bytes claim.
//
// It knows no format: which values follow each other is for the codec, and so are checksums.
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Reader reads values from the front of a buffer. After a missing value, all further ones are zero and Short returns
// true, so a codec checks only once, at its end. Byte strings point into the buffer.
type Reader struct {
	src   []byte
	short bool
}

// NewReader returns a Reader of src.
func NewReader(src []byte) Reader { return Reader{src: src} }

// Short says whether a value was missing or malformed.
func (r *Reader) Short() bool { return r.short }

// Rest returns the bytes not read yet.
func (r *Reader) Rest() []byte { return r.src }

// Len returns the number of bytes not read yet.
func (r *Reader) Len() int { return len(r.src) }

func (r *Reader) fail() { r.short, r.src = true, nil }

// Take reads n bytes.
func (r *Reader) Take(n uint64) []byte {
	if n > uint64(len(r.src)) {
		r.fail()
		return nil
	}
	b := r.src[:n:n]
	r.src = r.src[n:]
	return b
}

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if len(r.src) == 0 {
		r.fail()
		return 0
	}
	b := r.src[0]
	r.src = r.src[1:]
	return b
}

// Uint64 reads eight bytes, little endian.
func (r *Reader) Uint64() uint64 {
	if b := r.Take(8); len(b) == 8 {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Uvarint reads an unsigned LEB128 number.
func (r *Reader) Uvarint() uint64 {
	v, n := binary.Uvarint(r.src)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.src = r.src[n:]
	return v
}

// Varint reads a zigzag LEB128 number.
func (r *Reader) Varint() int64 {
	v, n := binary.Varint(r.src)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.src = r.src[n:]
	return v
}

// Count reads the number of items that follow. Each takes at least atLeast bytes, so a false count cannot make the
// caller allocate more than the buffer could hold.
func (r *Reader) Count(atLeast int) int {
	n := r.Uvarint()
	if n > uint64(len(r.src)/atLeast) {
		r.fail()
		return 0
	}
	return int(n)
}

// Bytes reads a length and that many bytes.
func (r *Reader) Bytes() []byte { return r.Take(r.Uvarint()) }

// AppendBytes appends the length of b, then b.
func AppendBytes(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// AppendString appends the length of s, then s.
func AppendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// Flag is the byte of a truth.
func Flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

var (
	// ErrCorrupt is wrapped by errors about a state or segment that does not decode.
	ErrCorrupt = errors.New("corrupt index state")
	// ErrVersion is wrapped by errors about a sound state or segment of a format that this program does not read.
	ErrVersion = errors.New("captured by another version of unecho")
)

// ReadVersion reads the format version of a state or segment. The error for another version says what to do.
func ReadVersion(rd *Reader, what string, own byte) error {
	switch v := rd.Byte(); {
	case rd.Short():
		return fmt.Errorf("%w: %s", ErrCorrupt, what)
	case v > own:
		return fmt.Errorf("%w: its %s has format %d, this one reads format %d: upgrade this program", ErrVersion, what, v, own)
	case v < own:
		return fmt.Errorf("%w: its %s has format %d, this one reads format %d: start the version that wrote it", ErrVersion, what,
			v, own)
	}
	return nil
}
