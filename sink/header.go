package sink

import (
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index"
)

// How many of our headers a record has at most.
const (
	commonHeaders   = 4
	matchHeaders    = 6 // beside the common ones, of a copy
	cutHeaders      = 1 // beside the common ones, of a unique document
	rejectedHeaders = 6 // beside the common ones, everything withheld
)

// open makes dst a copy of src bound for the partition of the same number, with src's headers but ours, and room for
// more of them.
func (b *Batch) open(dst, src *kgo.Record, more int) {
	if b.source != src.Topic || b.unique == "" {
		b.source = src.Topic
		b.unique, b.duplicate, b.rejected = b.enc.params.Topics(src.Topic)
	}
	headers := b.take(len(src.Headers) + commonHeaders + more)
	for i := range src.Headers {
		if !reserved(src.Headers[i].Key) {
			headers = append(headers, src.Headers[i])
		}
	}
	*dst = kgo.Record{
		Key: src.Key, Value: src.Value, Headers: headers, Timestamp: src.Timestamp, Partition: src.Partition,
	}
}

// take cuts n headers off the slab, empty, and with no room beyond them: an append past them cannot touch a neighbour.
func (b *Batch) take(n int) []kgo.RecordHeader {
	if cap(b.headers)-len(b.headers) < n {
		b.headers = make([]kgo.RecordHeader, 0, max(2*cap(b.headers), n, 1024))
	}
	at := len(b.headers)
	b.headers = b.headers[:at+n]
	return b.headers[at : at : at+n]
}

// room makes sure that n more bytes fit without moving those given out.
func (b *Batch) room(n int) {
	if cap(b.bytes)-len(b.bytes) < n {
		b.bytes = make([]byte, 0, max(2*cap(b.bytes), n, 16<<10))
	}
}

// since is what was appended since at.
func (b *Batch) since(at int) []byte { return b.bytes[at:len(b.bytes):len(b.bytes)] }

func (*Batch) add(dst *kgo.Record, name string, value []byte) {
	dst.Headers = append(dst.Headers, kgo.RecordHeader{Key: name, Value: value})
}

func (b *Batch) common(dst, src *kgo.Record, verdict []byte) {
	b.add(dst, HeaderVerdict, verdict)
	b.add(dst, HeaderSource, b.coordinates(src.Topic, src.Partition, src.Offset))
	b.add(dst, HeaderIndex, b.enc.index)
	b.add(dst, HeaderAlgorithm, b.enc.algorithm)
}

func (b *Batch) match(dst *kgo.Record, m *index.Match) {
	coordinates := b.coordinates(m.Topic, m.Source.Partition, m.Offset)
	id := coordinates
	if m.ID != "" {
		id = b.text(m.ID[:min(len(m.ID), MaxIDBytes)])
	}
	b.add(dst, HeaderMatch, coordinates)
	b.add(dst, HeaderMatchID, id)
	b.add(dst, HeaderMatchTime, b.time(m.Time))
	b.add(dst, HeaderSimilarity, b.similarity(m.Similarity))
	b.add(dst, HeaderMethod, b.enc.method(m.Method))
	b.add(dst, HeaderCopy, b.count(m.Copy))
}

func (e *Encoder) method(m index.Method) []byte {
	if int(m) < len(e.methods) {
		return e.methods[m]
	}
	return []byte(m.String())
}

// coordinates is topic/partition/offset.
func (b *Batch) coordinates(topic string, partition int32, offset int64) []byte {
	b.room(len(topic) + maxPlaceBytes)
	at := len(b.bytes)
	b.bytes = append(b.bytes, topic...)
	b.bytes = append(b.bytes, '/')
	b.bytes = strconv.AppendInt(b.bytes, int64(partition), 10)
	b.bytes = append(b.bytes, '/')
	b.bytes = strconv.AppendInt(b.bytes, offset, 10)
	return b.since(at)
}

func (b *Batch) text(s string) []byte {
	b.room(len(s))
	at := len(b.bytes)
	b.bytes = append(b.bytes, s...)
	return b.since(at)
}

func (b *Batch) number(n int) []byte { return b.count(uint64(n)) } //nolint:gosec // lengths are never negative

func (b *Batch) count(n uint64) []byte {
	b.room(maxDecimalBytes)
	at := len(b.bytes)
	b.bytes = strconv.AppendUint(b.bytes, n, 10)
	return b.since(at)
}

// RFC 3339 knows the years 0000 to 9999; a document may claim any. What lies beyond is shown as the nearest it knows.
const (
	timeLayout = "2006-01-02T15:04:05.000Z"
	minTime    = -62167219200000
	maxTime    = 253402300799999
)

func (b *Batch) time(ms int64) []byte {
	b.room(len(timeLayout))
	at := len(b.bytes)
	b.bytes = time.UnixMilli(min(max(ms, minTime), maxTime)).UTC().AppendFormat(b.bytes, timeLayout)
	return b.since(at)
}

// similarity has four places, rounded down, so that 1.0000 means equal.
func (b *Batch) similarity(s index.Similarity) []byte {
	b.room(len("0.0000"))
	at := len(b.bytes)
	n := min(max(s.TenThousandths(), 0), 10000)
	b.bytes = append(b.bytes, digit(n/10000), '.', digit(n/1000), digit(n/100), digit(n/10), digit(n))
	return b.since(at)
}

func digit(n int) byte { return "0123456789"[n%10] }

// reserved says whether a header's name starts with our prefix, in whatever case.
func reserved(name string) bool {
	if len(name) < len(Prefix) {
		return false
	}
	for i := range len(Prefix) {
		c := name[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != Prefix[i] {
			return false
		}
	}
	return true
}

// cut shortens s to n bytes at most, between runes.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
