package unpack

import (
	"bufio"
	"encoding/binary"
	"io"

	"github.com/twmb/franz-go/pkg/kgo"
)

// shape describes a record without its bytes.
type shape struct {
	attributes  byte
	time        int64 // since the batch's first, ms
	offset      int64 // since the batch's first
	key, value  int64 // bytes; -1: null
	headers     int64 // how many
	headerBytes int64 // of all names and values
	tail        int   // bytes from the number of headers on, where the record is read from a slice
}

// bytes returns the number of the record's own bytes.
func (s *shape) bytes() int { return int(max(0, s.key) + max(0, s.value) + s.headerBytes) }

// beside returns the bytes that the record takes in memory in addition to its own.
func (s *shape) beside() int { return recordBytes + headerBytes*int(s.headers) }

// readShape reads a record, without the length that stands before it:
//
//	attributes 1 · time · offset · bytes of the key · key · bytes of the value · value · headers ·
//	each: bytes, name, bytes, value
//
// Numbers without a width are zigzag varints.
func readShape(rd *reader) (s shape) {
	s.attributes, s.time, s.offset = rd.byte(), rd.varint(), rd.varint()
	s.key = rd.skipField()
	s.value = rd.skipField()
	s.tail = len(rd.slice)
	s.headers = max(0, rd.varint())
	for i := int64(0); i < s.headers && rd.err == nil; i++ {
		s.headerBytes += max(0, rd.skipField()) + max(0, rd.skipField())
	}
	return s
}

// reader reads from a slice or, if that is nil, from a stream. After its first error it reads nothing.
type reader struct {
	slice  []byte
	stream *bufio.Reader
	left   int64 // bytes of the stream's present record that are not read yet
	err    error
}

func (r *reader) byte() (b byte) {
	switch {
	case r.err != nil:
	case r.stream != nil:
		if r.left--; r.left < 0 {
			r.err = errUnreadable
			return 0
		}
		b, r.err = r.stream.ReadByte()
		r.err = unexpected(r.err)
	case len(r.slice) == 0:
		r.err = errUnreadable
	default:
		b, r.slice = r.slice[0], r.slice[1:]
	}
	return b
}

func (r *reader) varint() int64 {
	if r.stream == nil && r.err == nil { // the fast path, for nearly all numbers
		v, n := binary.Varint(r.slice)
		if n <= 0 {
			r.err = errUnreadable
			return 0
		}
		r.slice = r.slice[n:]
		return v
	}
	var v uint64
	for shift := 0; shift < 64 && r.err == nil; shift += 7 {
		b := r.byte()
		if v |= uint64(b&0x7f) << shift; b < 0x80 {
			return int64(v>>1) ^ -int64(v&1) // zigzag
		}
	}
	if r.err == nil {
		r.err = errUnreadable
	}
	return 0
}

// skipField skips a byte string whose length stands before it, and returns that length.
func (r *reader) skipField() int64 {
	n := r.varint()
	if n <= 0 || r.err != nil {
		return n
	}
	if r.stream == nil {
		if n > int64(len(r.slice)) {
			r.err = errUnreadable
			return 0
		}
		r.slice = r.slice[n:]
		return n
	}
	if r.left -= n; r.left < 0 {
		r.err = errUnreadable
		return 0
	}
	_, err := io.CopyN(io.Discard, r.stream, n)
	r.err = unexpected(err)
	return n
}

// unexpected turns an end in the middle of a record into io.ErrUnexpectedEOF.
func unexpected(err error) error {
	if err == io.EOF { //nolint:errorlint // readers return it bare, and what wraps it says more
		return errUnreadable
	}
	return err
}

// These are the bytes that a record and a header take in memory in addition to their own bytes. A client's record takes
// 176 and a pointer to it, a header 40; the rest is for what a session notes for each.
const (
	recordBytes = 256
	headerBytes = 64
)

// Cost returns the bytes that a record takes in memory.
func Cost(r *kgo.Record) int {
	n := recordBytes + len(r.Key) + len(r.Value)
	for i := range r.Headers {
		n += headerBytes + len(r.Headers[i].Key) + len(r.Headers[i].Value)
	}
	return n
}

// bill is what the records of an unpacked batch come to.
type bill struct {
	sum    int  // of Cost
	beside int  // of that, what is in addition to their own bytes
	far    bool // one of them is far from the batch's time
}

// cost reckons up an unpacked batch.
func cost(raw []byte) (b bill, err error) {
	for len(raw) > 0 {
		length, n := binary.Varint(raw)
		if n <= 0 || length < 0 || length > int64(len(raw)-n) {
			return bill{}, errUnreadable
		}
		shape, err := shapeOf(raw[n : n+int(length)])
		if err != nil {
			return bill{}, err
		}
		b.beside += shape.beside()
		b.sum += shape.beside() + shape.bytes()
		b.far = b.far || far(shape.time)
		raw = raw[n+int(length):]
	}
	return b, nil
}

// shapeOf reads a record without its length.
func shapeOf(record []byte) (shape, error) {
	rd := reader{slice: record}
	s := readShape(&rd)
	if rd.err != nil || len(rd.slice) > 0 {
		return shape{}, errUnreadable
	}
	return s, nil
}

// legacy says whether the unpacked bytes are a set of messages as Kafka wrote them before version 0.11: offset 8, size
// 4, CRC 4, format 1. Brokers may still hold such messages.
func legacy(raw []byte) bool {
	const header = 8 + 4 + 4 + 1
	return len(raw) > header && raw[header-1] <= 1 && int64(binary.BigEndian.Uint32(raw[8:])) <= int64(len(raw)-12)
}
