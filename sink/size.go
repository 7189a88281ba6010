package sink

import (
	"math/bits"

	"github.com/twmb/franz-go/pkg/kgo"
)

// How long parts of a record are on the wire at most.
const (
	batchOverhead   = 61 + 5          // of a record batch of format 2, and its length before it in a request
	recordOverhead  = 5 + 1 + 10 + 5  // length, attributes, timestamp delta, offset delta
	maxDecimalBytes = 20              // of a 64-bit number
	maxPlaceBytes   = 1 + 11 + 1 + 20 // /partition/offset
	maxCountBytes   = 5               // of the number of headers
)

// Size bounds the bytes of a record batch that holds r alone and uncompressed, which is what a producer holds against
// its maximum batch size, and a broker at most against max.message.bytes. It is never too small, and at most 26 bytes too
// large.
func Size(r *kgo.Record) int {
	n := batchOverhead + recordOverhead + fieldSize(len(r.Key)) + fieldSize(len(r.Value)) + maxCountBytes
	for i := range r.Headers {
		n += headerSize(len(r.Headers[i].Key), len(r.Headers[i].Value))
	}
	return n
}

// WorstCase bounds the Size of src as an output record, whatever the verdict will be, as long as nothing is withheld. It
// depends on nothing but the record, the settings and the names given to New.
func (e *Encoder) WorstCase(src *kgo.Record) int {
	n := batchOverhead + recordOverhead + fieldSize(len(src.Key)) + fieldSize(len(src.Value)) + maxCountBytes
	for i := range src.Headers {
		if h := &src.Headers[i]; !reserved(h.Key) {
			n += headerSize(len(h.Key), len(h.Value))
		}
	}
	return n + mostBytes(e.table[OnAll], Names{e.index, e.algorithm, src.Topic}) + e.worst
}

// Fits says whether src can be forwarded whatever the verdict. A document that does not fit is rejected as TooLarge
// before it is appended to the journal.
func (e *Encoder) Fits(src *kgo.Record) bool { return e.WorstCase(src) <= int(e.params.MaxRecordBytes) }

// mostBytes bounds headers of ours.
func mostBytes(table []Header, names Names) int {
	n := 0
	for i := range table {
		n += headerSize(len(table[i].Name), table[i].Most(names))
	}
	return n
}

func longestReason() int {
	n := 0
	for _, r := range Reasons() {
		n = max(n, len(r))
	}
	return n
}

// keptHeaderBytes is the length of the headers of src that are not ours.
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

// fieldSize is a field of n bytes with its length before it: a zigzag varint.
func fieldSize(n int) int { return (bits.Len(uint(n)<<1|1)+6)/7 + n } //nolint:gosec // lengths are never negative
