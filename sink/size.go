package sink

import (
	"math/bits"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Greatest lengths of parts of a record on the wire, in bytes.
const (
	batchOverhead       = 61 + 5          // a record batch of format 2, and its length before it in a request
	recordOverhead      = 5 + 1 + 10 + 5  // length, attributes, timestamp delta, offset delta
	maxDecimalBytes     = 20              // a 64-bit number
	maxCoordinatesBytes = 1 + 11 + 1 + 20 // /partition/offset
	maxCountBytes       = 5               // the number of headers
)

// Size returns an upper bound of the bytes of a record batch that holds only r, uncompressed. A producer compares it
// with its maximum batch size, and a broker at most with max.message.bytes. It is never too small, and at most 26 bytes
// too large.
func Size(r *kgo.Record) int {
	n := batchOverhead + recordOverhead + fieldSize(len(r.Key)) + fieldSize(len(r.Value)) + maxCountBytes
	for i := range r.Headers {
		n += headerSize(len(r.Headers[i].Key), len(r.Headers[i].Value))
	}
	return n
}

// WorstCase returns an upper bound of the Size of src as an output record, whatever the verdict, as long as nothing is
// withheld. It depends only on the record, the settings and the names given to New.
func (e *Encoder) WorstCase(src *kgo.Record) int { return e.forwarded(src) + e.worst }

// forwarded is that without the headers that not all records have.
func (e *Encoder) forwarded(src *kgo.Record) int {
	n := batchOverhead + recordOverhead + fieldSize(len(src.Key)) + fieldSize(len(src.Value)) + maxCountBytes
	for i := range src.Headers {
		if h := &src.Headers[i]; !reserved(h.Key) {
			n += headerSize(len(h.Key), len(h.Value))
		}
	}
	return n + mostBytes(e.table[OnAll], Names{e.index, e.algorithm, src.Topic})
}

// Fits says whether src can be forwarded whatever the verdict. A document that does not fit is rejected as TooLarge
// before it is appended to the journal.
func (e *Encoder) Fits(src *kgo.Record) bool { return e.WorstCase(src) <= int(e.params.MaxRecordBytes) }

// FitsUnchecked says whether src can be forwarded without being judged.
func (e *Encoder) FitsUnchecked(src *kgo.Record) bool {
	return e.forwarded(src)+mostBytes(e.table[OnUnchecked], Names{}) <= int(e.params.MaxRecordBytes)
}

// mostBytes returns an upper bound of the bytes of our headers.
func mostBytes(table []Header, names Names) int {
	n := 0
	for i := range table {
		n += headerSize(len(table[i].Name), table[i].Most(names))
	}
	return n
}

// keptHeaderBytes returns the length of the headers of src that are not ours.
func keptHeaderBytes(src *kgo.Record) int {
	n := 0
	for i := range src.Headers {
		if h := &src.Headers[i]; !reserved(h.Key) {
			n += len(h.Key) + len(h.Value)
		}
	}
	return n
}

func headerSize(name, value int) int { return fieldSize(name) + fieldSize(value) }

// fieldSize returns the length of a field of n bytes with its length before it: a zigzag varint.
func fieldSize(n int) int { return (bits.Len(uint(n)<<1|1)+6)/7 + n } // lengths are never negative

// The client library writes timestamps in nanoseconds of 64 bits, rounded to milliseconds: those of the years 1677 to
// 2262. Any other would come out as another.
const (
	leastTime = -9223372036854 // ms since 1970
	mostTime  = 9223372036854
)

// Writable says whether an output record may have the timestamp of a source record, in ms since 1970. Where it may not,
// the source record belongs in rejected, with another timestamp: see Batch.RejectAt.
func Writable(ms int64) bool { return leastTime <= ms && ms <= mostTime }
