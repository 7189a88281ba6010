package sink

import (
	"encoding/base64"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
)

// Values of the unecho-verdict header.
const (
	Unique    = "unique"
	Duplicate = "duplicate"
	Rejected  = "rejected"
)

// Bounds of what goes into headers, so that a record's worst case is known before it is judged.
const (
	MaxIDBytes     = 1 << 10 // bytes of a document's id; longer ones are rejected when documents are read, and cut here
	MaxDetailBytes = 256     // bytes of unecho-detail; longer ones are cut between runes
	maxTopicBytes  = 249     // Kafka's bound on topic names
)

// Encoder holds what all output records of a process have in common. It is safe for concurrent use.
type Encoder struct {
	params    Params
	index     string
	algorithm string
	journal   string          // id of its topic, as Kafka's tools write it
	table     [kinds][]Header // headers of each kind of record
	fields    [kinds][]field  // the same, for the verdicts' topic
	worst     int             // bytes of our headers, except for those that all records have
	most      int             // bytes of the values of all our headers, without the source's topic
}

// New builds an Encoder for the index of that name. algorithm is the value of its header: "minhash/2:<fingerprint>".
func New(p Params, indexName, algorithm string) *Encoder {
	e := &Encoder{params: p, index: indexName, algorithm: algorithm}
	for _, h := range Headers() {
		e.table[h.On], e.fields[h.On] = append(e.table[h.On], h), append(e.fields[h.On], field{h, h.Field(), h.Number()})
		e.most += h.Most(Names{Index: indexName, Algorithm: algorithm})
	}
	for _, on := range []On{OnCopies, OnCut, OnUnchecked, OnRejected} {
		e.worst = max(e.worst, mostBytes(e.table[on], Names{}))
	}
	return e
}

// MarkLate makes the worst case count what marks a late document. Where documents cannot be late, it must not count
// that: it decides what is rejected.
func (e *Encoder) MarkLate() *Encoder {
	e.worst += mostBytes(e.table[OnLate], Names{})
	return e
}

// OfJournal makes records of clusters name the journal whose positions they have: the id of its topic.
func (e *Encoder) OfJournal(id [16]byte) *Encoder {
	e.journal = base64.RawURLEncoding.EncodeToString(id[:])
	return e
}

// MarkIgnored makes the worst case count what says that a part of a document does not count, as MarkLate does for its own.
func (e *Encoder) MarkIgnored() *Encoder {
	e.worst += mostBytes(e.table[OnIgnoring], Names{})
	return e
}

// Batch holds the memory of the records of one transaction. They are valid until its Reset. Only one goroutine may use
// a Batch. Header values may be shared between records and must not be written to.
type Batch struct {
	enc     *Encoder
	bytes   []byte
	headers []kgo.RecordHeader
	told    Facts // facts about the record that is being encoded, or was last
	wrote   []On  // the kinds of headers that it has

	// names holds the outputs of the source topic seen last: a session reads one topic, or few.
	source                                          string
	unique, duplicate, rejected, verdicts, clusters string

	now     time.Time          // timestamp of rejected records; zero means the source record's own
	ignored compare.Similarity // of the following verdicts
}

// NewBatch builds an empty Batch.
func (e *Encoder) NewBatch() *Batch { return &Batch{enc: e} }

// Reset reuses the memory of all records encoded since the last Reset. Call it only when the producer has released
// them, that is when every promise has been called. After an error that leaves this uncertain, make a new Batch.
func (b *Batch) Reset() {
	clear(b.headers)
	b.bytes, b.headers, b.ignored = b.bytes[:0], b.headers[:0], compare.Similarity{}
}

// RejectAt gives the following rejected records this timestamp, and puts their own into the header unecho-timestamp. It
// is for records whose time the rejected topic would refuse, or which is not Writable. The zero time restores their own timestamps.
func (b *Batch) RejectAt(now time.Time) { b.now = now }

// LeftOut says which share of the shingles of the documents of the following verdicts does not count; 0/0 is none.
func (b *Batch) LeftOut(share compare.Similarity) { b.ignored = share }

// Verdict fills dst with the output record of src for the verdict v. Key, value and header values of dst are those of
// src, not copies. A copy that was let through goes to unique, with the headers of its match. A unique document that
// was forgotten goes to rejected. The record of a duplicate that is dropped has no topic.
func (b *Batch) Verdict(dst, src *kgo.Record, v *index.Verdict) {
	switch {
	case v.Unique() && v.Forgotten:
		b.Reject(dst, src, OutputRefused, "the unique topic refused this document")
	case !v.Matched() && v.Cut:
		b.judged(src, Unique, v)
		b.write(dst, src, b.unique, OnAll, OnCut, OnLate, OnIgnoring)
	case !v.Matched():
		b.judged(src, Unique, v)
		b.write(dst, src, b.unique, OnAll, OnLate, OnIgnoring)
	case v.Reemitted:
		b.judged(src, Unique, v).Match = &v.Match
		b.write(dst, src, b.unique, OnAll, OnCopies, OnLate, OnIgnoring)
	default:
		b.judged(src, Duplicate, v).Match = &v.Match
		b.write(dst, src, b.duplicate, OnAll, OnCopies, OnLate, OnIgnoring)
	}
}

// judged sets b.told to the facts about src and its verdict, without those of a match.
func (b *Batch) judged(src *kgo.Record, verdict string, v *index.Verdict) *Facts {
	t := b.of(src, verdict)
	t.Late, t.Ignored = v.Late, b.ignored
	return t
}

// Unchecked fills dst with the output record of src as a document that was not judged.
func (b *Batch) Unchecked(dst, src *kgo.Record, why UncheckedReason) {
	b.of(src, Unique).Unchecked = why
	b.write(dst, src, b.unique, OnAll, OnUnchecked)
}

// Reject fills dst with the rejected record of src. It withholds what exceeds MaxRecordBytes, as Withhold does;
// otherwise the record is unchanged.
func (b *Batch) Reject(dst, src *kgo.Record, reason Reason, detail string) {
	b.reject(dst, src, reason, detail, Sizes{-1, -1, -1})
	if Size(dst) > int(b.enc.params.MaxRecordBytes) {
		b.Withhold(dst, src, reason, detail)
	}
}

// Withhold fills dst with the rejected record of src without its value, for a record that not even the rejected topic
// accepts. The header unecho-value-bytes gives the length of the value. If the rest still exceeds MaxRecordBytes, the
// longer of key and source headers is withheld too (unecho-key-bytes, unecho-header-bytes), and if necessary both.
func (b *Batch) Withhold(dst, src *kgo.Record, reason Reason, detail string) {
	bound := int(b.enc.params.MaxRecordBytes)
	less, without := *src, Sizes{-1, -1, -1}
	if src.Value != nil {
		less.Value, without.Value = nil, int64(len(src.Value))
	}
	b.reject(dst, &less, reason, detail, without)
	if Size(dst) <= bound {
		return
	}
	key, headers := int64(len(src.Key)), int64(keptHeaderBytes(src))
	if key > headers {
		less.Key, without.Key = nil, key
	} else {
		less.Headers, without.Headers = nil, headers
	}
	b.reject(dst, &less, reason, detail, without)
	if Size(dst) <= bound {
		return
	}
	less.Key, less.Headers, without.Key, without.Headers = nil, nil, key, headers
	b.reject(dst, &less, reason, detail, without)
}

// Sizes are the lengths of the parts of a record whose content is not available, in bytes: -1 for a part that the
// record did not have.
type Sizes struct{ Value, Key, Headers int64 }

// SetAside fills dst with the rejected record of src when only its coordinates and time are known. It uses none of
// src's key, value and headers.
func (b *Batch) SetAside(dst, src *kgo.Record, reason Reason, detail string, had Sizes) {
	bare := *src
	bare.Key, bare.Value, bare.Headers = nil, nil, nil
	if had.Headers == 0 {
		had.Headers = -1
	}
	b.reject(dst, &bare, reason, detail, had)
}

// reject fills dst with the rejected record of the rest of a source record.
func (b *Batch) reject(dst, src *kgo.Record, reason Reason, detail string, without Sizes) {
	t := b.of(src, Rejected)
	t.Reason, t.Detail, t.Withheld = reason, detail, without
	if !b.now.IsZero() {
		t.Retimed, t.Time = true, src.Timestamp.UnixMilli()
	}
	b.write(dst, src, b.rejected, OnAll, OnRejected, OnWithheld)
	if t.Retimed {
		dst.Timestamp = b.now
	}
}

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
		b.verdicts, b.clusters = b.enc.params.VerdictsTopic(src.Topic), b.enc.params.ClustersTopic(src.Topic)
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
