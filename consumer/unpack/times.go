package unpack

import (
	"encoding/binary"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// A timestamp is any 64-bit number of milliseconds. A client turns it into nanoseconds and keeps 64 bits of those, so
// that timestamps outside the years 1677 to 2262 come out as others. A million is 64 · 15625, and 15625 has an inverse:
// the client's time still tells a timestamp but for its upper six bits. Those are told beside it:
//
//	the batch's time, which is its   in the epoch of its producer, if it is beyond ±2^56: -2 less the upper eight bits.
//	first, or the broker's           Real epochs are not below -1. See mark.
//	a record's distance from that    in a header in front of the record's own, if it is beyond ±2^56. Its name is our
//	                                 token. See markDistances.
//
// So a record's time is known to lie in a part of all times that is not longer than 2^58, and that makes it certain.
// The client's hook writes it into the record before the record is handed out, and removes the header.
//
// Messages as Kafka wrote them before version 0.11 have no such epoch. Their timestamps are right up to ±2^57, some
// four million years.
const (
	markFrom  = 1 << 56            // what lies beyond ± this is told
	keptBits  = 58                 // of a timestamp in the client's time
	inverse   = 0x790fb65668c26139 // 15625 times this is 1 (mod 2^64)
	noEpoch   = -1
	firstCode = -2
)

// far says whether a time, or a distance, must be told.
func far(ms int64) bool { return ms < -markFrom || ms >= markFrom }

// codeOf returns the epoch that tells a batch's time.
func codeOf(ms int64) int16 { return firstCode - int16(uint8(ms>>56)) } // the upper eight bits

// batchTime returns the least that a batch's time may be. It is less than 2^56 above that if the epoch tells it, and
// less than 2^57 otherwise.
func batchTime(epoch int16) int64 {
	if epoch > firstCode {
		return -markFrom
	}
	return int64(firstCode-epoch) << 56
}

// least returns the smallest number from low onwards that ends in the same bits as ms. Numbers go round.
func least(low, ms int64) int64 { return low + (ms-low)&(1<<keptBits-1) }

// retime gives a record that the client has just made the timestamp that was written.
func (u *Unpacker) retime(r *kgo.Record) {
	distance, told := u.takeDistance(r)
	if r.Timestamp.IsZero() {
		r.Timestamp = time.UnixMilli(-1) // messages of the first format have none
		return
	}
	nanos := r.Timestamp.UnixNano()
	ends := int64(uint64(nanos>>6) * inverse) // numbers go round
	low := batchTime(r.ProducerEpoch)
	var ms int64
	switch {
	case r.Attrs.TimestampType() == 1: // the broker's: all of a batch have it
		ms = least(low, ends)
	case told:
		ms = least(low, ends-distance) + distance
	default:
		ms = least(low-markFrom, ends)
	}
	if ms != nanos/1e6 || nanos%1e6 != 0 {
		r.Timestamp = time.UnixMilli(ms)
	}
}

// takeDistance removes the header that tells a record's distance from its batch's time.
func (u *Unpacker) takeDistance(r *kgo.Record) (distance int64, told bool) {
	if len(r.Headers) == 0 || r.Headers[0].Key != string(u.token[:]) || len(r.Headers[0].Value) != 8 {
		return 0, false
	}
	distance = int64(binary.BigEndian.Uint64(r.Headers[0].Value))
	if r.Headers = r.Headers[1:]; len(r.Headers) == 0 {
		r.Headers = nil
	}
	return distance, true
}

// markDistances returns an unpacked batch in which records far from the batch's time have the header: a copy if there are
// any.
func (u *Unpacker) markDistances(raw []byte, b bill) ([]byte, error) {
	if !b.far {
		return raw, nil
	}
	out := make([]byte, 0, len(raw)+len(raw)/4)
	for len(raw) > 0 {
		length, n := binary.Varint(raw)
		if n <= 0 || length < 0 || length > int64(len(raw)-n) {
			return nil, errUnreadable
		}
		record := raw[n : n+int(length)]
		raw = raw[n+int(length):]
		rd := reader{slice: record}
		s := readShape(&rd)
		if rd.err != nil {
			return nil, rd.err
		}
		if far(s.time) {
			record = u.withDistance(record, &s)
		}
		out = append(binary.AppendVarint(out, int64(len(record))), record...)
	}
	return out, nil
}

// withDistance returns a copy of a record with the header in front of its own.
func (u *Unpacker) withDistance(record []byte, s *shape) []byte {
	at := len(record) - s.tail
	_, n := binary.Varint(record[at:])
	out := binary.AppendVarint(append(make([]byte, 0, len(record)+tokenBytes+24), record[:at]...), s.headers+1)
	out = append(binary.AppendVarint(out, tokenBytes), u.token[:]...)
	out = binary.BigEndian.AppendUint64(binary.AppendVarint(out, 8), uint64(s.time))
	return append(out, record[at+n:]...)
}
