package sink

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index"
)

// Values of the unecho-verdict header.
const (
	Unique    = "unique"
	Duplicate = "duplicate"
	Rejected  = "rejected"
)

// Bounds of what goes into headers, so that a record's worst case is known before it is judged.
const (
	MaxIDBytes     = 1 << 10 // of a document's id; who reads documents rejects longer ones, and here they are cut
	MaxDetailBytes = 256     // of unecho-detail; longer ones are cut between runes
	maxTopicBytes  = 249     // Kafka's bound on topic names
)

// Encoder knows what all output records of a process have in common. It is safe for concurrent use.
type Encoder struct {
	params    Params
	index     string
	algorithm string
	table     [kinds][]Header // of each kind of record
	worst     int             // bytes of our headers, but for those that all records have
	most      int             // bytes of the values of all our headers, but for the source's topic
}

// New builds an Encoder for the index of that name. The algorithm is what the header says: "minhash/1:<fingerprint>".
func New(p Params, indexName, algorithm string) *Encoder {
	e := &Encoder{params: p, index: indexName, algorithm: algorithm}
	for _, h := range Headers() {
		e.table[h.On] = append(e.table[h.On], h)
		e.most += h.Most(Names{Index: indexName, Algorithm: algorithm})
	}
	for _, on := range []On{OnCopies, OnCut, OnRejected} {
		e.worst = max(e.worst, mostBytes(e.table[on], Names{}))
	}
	return e
}

// Batch holds the memory of the records of one transaction: they are valid until its Reset. A Batch belongs to one
// goroutine. Header values may be shared between records and must not be written to.
type Batch struct {
	enc     *Encoder
	bytes   []byte
	headers []kgo.RecordHeader
	told    Told // of the record that is being encoded

	// names of the outputs of the source topic seen last: a session reads one topic, or few
	source                      string
	unique, duplicate, rejected string

	now time.Time // of rejected records; zero: their own
}

// NewBatch makes an empty Batch.
func (e *Encoder) NewBatch() *Batch { return &Batch{enc: e} }

// Reset gives the memory of all records encoded since the last Reset back to the Batch. Call it only when the producer
// has let go of them, that is when every promise has been called; after an error that leaves this open, make a new Batch.
func (b *Batch) Reset() {
	clear(b.headers)
	b.bytes, b.headers = b.bytes[:0], b.headers[:0]
}

// RejectAt gives the rejected records from here on this timestamp, and their own in the header unecho-timestamp: for those whose
// time the rejected topic would refuse. The zero time leaves them theirs again.
func (b *Batch) RejectAt(now time.Time) { b.now = now }

// Verdict fills dst with the output record of src, which was judged v. Key, value and header values of dst are those of
// src, not copies. A copy that was let through goes to unique and says what it is a copy of. A unique document that was
// forgotten goes to rejected.
func (b *Batch) Verdict(dst, src *kgo.Record, v *index.Verdict) {
	switch {
	case v.Unique() && v.Forgotten:
		b.Reject(dst, src, OutputRefused, "the unique topic refused this document")
	case !v.Matched() && v.Cut:
		b.of(src, Unique)
		b.write(dst, src, b.unique, OnAll, OnCut)
	case !v.Matched():
		b.of(src, Unique)
		b.write(dst, src, b.unique, OnAll)
	case v.Reemitted:
		b.of(src, Unique).Match = &v.Match
		b.write(dst, src, b.unique, OnAll, OnCopies)
	default:
		b.of(src, Duplicate).Match = &v.Match
		b.write(dst, src, b.duplicate, OnAll, OnCopies)
	}
}

// Reject fills dst with the rejected record of src. What max_record_bytes leaves no room for is withheld, as Withhold
// does; else the record is untouched.
func (b *Batch) Reject(dst, src *kgo.Record, reason Reason, detail string) {
	b.reject(dst, src, reason, detail, Sizes{-1, -1, -1})
	if Size(dst) > int(b.enc.params.MaxRecordBytes) {
		b.Withhold(dst, src, reason, detail)
	}
}

// Withhold fills dst with the rejected record of src without its value, for what not even the rejected topic takes: the
// header unecho-value-bytes says how long the value was. Where the rest is still beyond max_record_bytes, the longer of
// key and source headers goes too (unecho-key-bytes, unecho-header-bytes), and if need be both.
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

// Sizes say how long the parts of a record are that nobody has: -1 where it had none.
type Sizes struct{ Value, Key, Headers int64 }

// SetAside fills dst with the rejected record of src where nothing of it came but its coordinates and its time: key, value and
// headers of src are not its own.
func (b *Batch) SetAside(dst, src *kgo.Record, reason Reason, detail string, had Sizes) {
	bare := *src
	bare.Key, bare.Value, bare.Headers = nil, nil, nil
	if had.Headers == 0 {
		had.Headers = -1
	}
	b.reject(dst, &bare, reason, detail, had)
}

// reject fills dst with the rejected record of what is left of a source record.
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
