package entry

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/unecho/unecho/index/wire"
)

const (
	kindMask  = 0b11
	hasScope  = 1 << 2
	hasID     = 1 << 3
	knownBits = kindMask | hasScope | hasID
)

// ErrCorrupt is wrapped by every decoding error.
var ErrCorrupt = errors.New("corrupt entry")

// Append appends e to dst. Offset and time are written as deltas to prev; prev is nil where an entry stands alone. The
// length of e.Keys is not written: the reader must know it. Neither is e.Request.
func Append(dst []byte, e, prev *Entry) []byte {
	flags := byte(e.Kind)
	if e.Scope != 0 {
		flags |= hasScope
	}
	if len(e.ID) > 0 {
		flags |= hasID
	}
	var offset, at int64
	if prev != nil {
		offset, at = prev.Offset, prev.Time
	}
	dst = append(dst, flags)
	dst = binary.AppendVarint(dst, e.Offset-offset)
	dst = binary.AppendVarint(dst, e.Time-at)
	if e.Scope != 0 {
		dst = binary.LittleEndian.AppendUint64(dst, e.Scope)
	}
	if e.Kind != None {
		dst = binary.LittleEndian.AppendUint64(dst, e.Content)
		dst = appendKeys(dst, e)
	}
	if len(e.ID) > 0 {
		dst = binary.AppendUvarint(dst, uint64(len(e.ID)))
		dst = append(dst, e.ID...)
	}
	if e.Kind != None {
		dst = binary.AppendUvarint(dst, uint64(len(e.Evidence)))
		dst = append(dst, e.Evidence...)
	}
	return dst
}

// appendKeys appends the keys and the digest, or neither if e has no keys.
func appendKeys(dst []byte, e *Entry) []byte {
	if len(e.Keys) == 0 {
		return dst
	}
	var digest [DigestBytes]byte
	copy(digest[:], e.Digest)
	return append(append(dst, e.Keys...), digest[:]...)
}

// Decode reads one entry from the front of src and returns what follows it. keys is the length of the band keys in
// bytes. It is 0 for an entry that was appended without keys and digest. prev is the entry before in the run, or nil.
// The entry's slices point into src.
func Decode(src []byte, keys int, prev *Entry) (e Entry, rest []byte, err error) {
	r := wire.NewReader(src)
	flags := r.Byte()
	if flags&^byte(knownBits) != 0 {
		return Entry{}, nil, fmt.Errorf("%w: flags %#x", ErrCorrupt, flags)
	}
	e.Kind = Kind(flags & kindMask)
	e.Offset, e.Time = r.Varint(), r.Varint()
	if prev != nil {
		e.Offset += prev.Offset
		e.Time += prev.Time
	}
	if flags&hasScope != 0 {
		e.Scope = r.Uint64()
	}
	if e.Kind != None {
		e.Content = r.Uint64()
		if keys > 0 {
			e.Keys, e.Digest = r.Take(uint64(keys)), r.Take(DigestBytes)
		}
	}
	if flags&hasID != 0 {
		e.ID = r.Bytes()
	}
	if e.Kind != None {
		e.Evidence = r.Bytes()
	}
	if r.Short() {
		return Entry{}, nil, fmt.Errorf("%w: ends early", ErrCorrupt)
	}
	return e, r.Rest(), nil
}

// Size returns the length of e encoded alone, in bytes.
func Size(e *Entry) int {
	n := BareSize(e)
	if len(e.Keys) > 0 {
		n += len(e.Keys) + DigestBytes
	}
	return n
}

// BareSize returns the length of e encoded alone, without keys and digest.
func BareSize(e *Entry) int {
	n := 1 + varintLen(e.Offset) + varintLen(e.Time)
	if e.Scope != 0 {
		n += 8
	}
	if len(e.ID) > 0 {
		n += uvarintLen(uint64(len(e.ID))) + len(e.ID)
	}
	if e.Kind != None {
		n += 8 + uvarintLen(uint64(len(e.Evidence))) + len(e.Evidence)
	}
	return n
}

// Clone returns an entry that shares no memory with e.
func (e *Entry) Clone() Entry {
	c := *e
	all := make([]byte, 0, len(e.Keys)+len(e.Digest)+len(e.Evidence)+len(e.ID))
	cut := func(b []byte) []byte {
		from := len(all)
		all = append(all, b...)
		return all[from:len(all):len(all)]
	}
	c.Keys, c.Digest, c.Evidence, c.ID = cut(e.Keys), cut(e.Digest), cut(e.Evidence), cut(e.ID)
	return c
}

func uvarintLen(v uint64) int {
	n := 1
	for ; v >= 0x80; v >>= 7 {
		n++
	}
	return n
}

func varintLen(v int64) int { return uvarintLen(uint64(v)<<1 ^ uint64(v>>63)) }

// Erase overwrites the content hash, the id and the evidence of an entry encoded alone, without band keys. The lengths
// stay. The id becomes as many zero bytes: see Erased. src must decode.
func Erase(src []byte) {
	e, _, err := Decode(src, 0, nil)
	if err != nil {
		return
	}
	clear(e.Evidence)
	clear(e.ID)
	e.Content = 0
	Append(src[:0], &e, nil) // the same bytes but for the content hash: each slice is copied onto itself
}

// Erased says whether the entry was erased.
func (e *Entry) Erased() bool {
	return e.Kind != None && e.Content == 0 && zero(e.Evidence) && zero(e.ID)
}

func zero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

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
