package unpack

import (
	"bufio"
	"encoding/binary"
	"io"
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
