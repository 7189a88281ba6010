package unpack

import (
	"encoding/binary"

	"github.com/twmb/franz-go/pkg/kgo"
)

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
