package unpack

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/sink"
)

const (
	tokenBytes    = 16 // enough that nobody guesses the token
	withheldBytes = tokenBytes + 3*binary.MaxVarintLen64
)

// Withheld says whether a record stands in the place of a withheld one, and returns the sizes of that. Nobody else can
// write such a value, because it begins with a random number drawn by New.
func (u *Unpacker) Withheld(r *kgo.Record) (sink.Sizes, bool) {
	rest, ok := bytes.CutPrefix(r.Value, u.token[:])
	if !ok || r.Attrs.CompressionType() == uint8(kgo.CodecNone) {
		return sink.Sizes{}, false
	}
	rd := reader{slice: rest}
	s := sink.Sizes{Value: rd.varint(), Key: rd.varint(), Headers: rd.varint()}
	return s, rd.err == nil && len(rd.slice) == 0
}

// appendWithheld appends the record that stands in the place of a record with shape s.
func (u *Unpacker) appendWithheld(dst []byte, s *shape) []byte {
	var value [withheldBytes]byte
	v := append(value[:0], u.token[:]...)
	v = binary.AppendVarint(binary.AppendVarint(binary.AppendVarint(v, s.value), s.key), s.headerBytes)

	var record [len(value) + 64]byte
	b := append(record[:0], s.attributes)
	b = binary.AppendVarint(binary.AppendVarint(b, s.time), s.offset)
	b = binary.AppendVarint(b, -1) // no key
	b = append(binary.AppendVarint(b, int64(len(v))), v...)
	b = binary.AppendVarint(b, 0) // no headers
	return append(binary.AppendVarint(dst, int64(len(b))), b...)
}

// streamed is how many unpacked bytes of a batch are read in search of its records. If a batch unpacks to more, a
// person must decide.
const streamed = 4 << 30

// withhold reads a batch of any size record by record, and returns a record in the place of each.
func (u *Unpacker) withhold(from io.Reader) (raw []byte, err error) {
	all := &io.LimitedReader{R: from, N: streamed}
	stream := bufio.NewReader(all)
	defer func() { u.worked += streamed - all.N }()
	for most := u.bounds.Batch / (recordBytes + withheldBytes); most > 0; most-- {
		length, err := binary.ReadVarint(stream)
		switch {
		case errors.Is(err, io.EOF) && all.N > 0:
			return raw, nil
		case err != nil || length < 0:
			return nil, errUnreadable
		}
		rd := reader{stream: stream, left: length}
		s := readShape(&rd)
		if rd.err != nil || rd.left > 0 {
			return nil, errUnreadable
		}
		raw = u.appendWithheld(raw, &s)
	}
	return nil, errTooMuch
}
