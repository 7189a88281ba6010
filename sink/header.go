package sink

import (
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
)

// write makes dst a copy of src for the partition of the same number of topic. dst has src's headers except for ours,
// and then our headers of these kinds, with the facts in b.told.
func (b *Batch) write(dst, src *kgo.Record, topic string, kinds ...On) {
	b.wrote = append(b.wrote[:0], kinds...)
	more := 0
	for _, on := range kinds {
		more += len(b.enc.table[on])
	}
	headers := b.take(len(src.Headers) + more)
	for i := range src.Headers {
		if !reserved(src.Headers[i].Key) {
			headers = append(headers, src.Headers[i])
		}
	}
	b.room(b.enc.most + len(src.Topic))
	for _, on := range kinds {
		headers = b.appendHeaders(headers, b.enc.table[on])
	}
	*dst = kgo.Record{
		Key: src.Key, Value: src.Value, Headers: headers, Timestamp: src.Timestamp, Partition: src.Partition, Topic: topic,
	}
}

// appendHeaders appends our headers.
func (b *Batch) appendHeaders(headers []kgo.RecordHeader, table []Header) []kgo.RecordHeader {
	for i := range table {
		h := &table[i]
		if h.Has != nil && !h.Has(&b.told) {
			continue
		}
		at := len(b.bytes)
		b.bytes = h.Append(b.bytes, &b.told)
		headers = append(headers, kgo.RecordHeader{Key: h.Name, Value: b.bytes[at:len(b.bytes):len(b.bytes)]})
	}
	return headers
}

// of sets b.told to the facts about src, with the outputs of its topic.
func (b *Batch) of(src *kgo.Record, verdict string) *Facts {
	if b.source != src.Topic || b.unique == "" {
		b.source = src.Topic
		b.unique, b.duplicate, b.rejected = b.enc.params.Topics(src.Topic)
		b.verdicts = b.enc.params.VerdictsTopic(src.Topic)
	}
	b.told = Facts{
		Names: Names{b.enc.index, b.enc.algorithm, src.Topic}, Partition: src.Partition, Offset: src.Offset,
		Verdict: verdict, Withheld: Sizes{-1, -1, -1},
	}
	return &b.told
}

// take returns n empty headers from the slab, with no capacity beyond them, so that an append cannot touch a neighbour.
func (b *Batch) take(n int) []kgo.RecordHeader {
	if cap(b.headers)-len(b.headers) < n {
		b.headers = make([]kgo.RecordHeader, 0, max(2*cap(b.headers), n, 1024))
	}
	at := len(b.headers)
	b.headers = b.headers[:at+n]
	return b.headers[at : at : at+n]
}

// room makes sure that n more bytes fit without moving those already returned.
func (b *Batch) room(n int) {
	if cap(b.bytes)-len(b.bytes) < n {
		b.bytes = make([]byte, 0, max(2*cap(b.bytes), n, 16<<10))
	}
}

// reserved says whether a header's name starts with our prefix, in whatever case.
func reserved(name string) bool {
	return len(name) >= len(Prefix) && strings.EqualFold(name[:len(Prefix)], Prefix)
}
