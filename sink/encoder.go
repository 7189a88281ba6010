package sink

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index"
)

// Prefix starts the name of every header that is ours.
const Prefix = "unecho-"

// Names of our headers.
const (
	HeaderVerdict     = Prefix + "verdict"
	HeaderSource      = Prefix + "source"
	HeaderIndex       = Prefix + "index"
	HeaderAlgorithm   = Prefix + "algorithm"
	HeaderMatch       = Prefix + "match"
	HeaderMatchID     = Prefix + "match-id"
	HeaderMatchTime   = Prefix + "match-time"
	HeaderSimilarity  = Prefix + "similarity"
	HeaderMethod      = Prefix + "method"
	HeaderCopy        = Prefix + "copy"
	HeaderCut         = Prefix + "cut"
	HeaderReason      = Prefix + "reason"
	HeaderDetail      = Prefix + "detail"
	HeaderValueBytes  = Prefix + "value-bytes"
	HeaderKeyBytes    = Prefix + "key-bytes"
	HeaderHeaderBytes = Prefix + "header-bytes"
	HeaderTimestamp   = Prefix + "timestamp"
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
	index     []byte
	algorithm []byte
	verdicts  struct{ unique, duplicate, rejected []byte }
	methods   [index.Levenshtein + 1][]byte
	reasons   map[Reason][]byte
	fixed     int // worst-case bytes of our headers but for unecho-source, whose length the record knows
}

// New builds an Encoder for the index of that name. The algorithm is what the header says: "minhash/1:<fingerprint>".
func New(p Params, indexName, algorithm string) *Encoder {
	e := &Encoder{params: p, index: []byte(indexName), algorithm: []byte(algorithm), reasons: make(map[Reason][]byte)}
	e.verdicts.unique, e.verdicts.duplicate, e.verdicts.rejected = []byte(Unique), []byte(Duplicate), []byte(Rejected)
	for m := range e.methods {
		e.methods[m] = []byte(index.Method(m).String())
	}
	for _, r := range Reasons() {
		e.reasons[r] = []byte(r)
	}
	e.fixed = e.worstHeaders()
	return e
}

// Batch holds the memory of the records of one transaction: they are valid until its Reset. A Batch belongs to one
// goroutine. Header values may be shared between records and must not be written to.
type Batch struct {
	enc     *Encoder
	bytes   []byte
	headers []kgo.RecordHeader

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
	case !v.Matched():
		b.open(dst, src, cutHeaders)
		dst.Topic = b.unique
		b.common(dst, src, b.enc.verdicts.unique)
		if v.Cut {
			b.add(dst, HeaderCut, b.text("candidates"))
		}
	case v.Reemitted:
		b.open(dst, src, matchHeaders)
		dst.Topic = b.unique
		b.common(dst, src, b.enc.verdicts.unique)
		b.match(dst, &v.Match)
	default:
		b.open(dst, src, matchHeaders)
		dst.Topic = b.duplicate
		b.common(dst, src, b.enc.verdicts.duplicate)
		b.match(dst, &v.Match)
	}
}

// Reject fills dst with the rejected record of src. What max_record_bytes leaves no room for is withheld, as Withhold
// does; else the record is untouched.
func (b *Batch) Reject(dst, src *kgo.Record, reason Reason, detail string) {
	b.reject(dst, src, reason, detail, withheld{})
	if Size(dst) > int(b.enc.params.MaxRecordBytes) {
		b.Withhold(dst, src, reason, detail)
	}
}

// Withhold fills dst with the rejected record of src without its value, for what not even the rejected topic takes: the
// header unecho-value-bytes says how long the value was. Where the rest is still beyond max_record_bytes, the longer of
// key and source headers goes too (unecho-key-bytes, unecho-header-bytes), and if need be both.
func (b *Batch) Withhold(dst, src *kgo.Record, reason Reason, detail string) {
	bound := int(b.enc.params.MaxRecordBytes)
	w := withheld{value: true}
	b.reject(dst, src, reason, detail, w)
	if Size(dst) <= bound {
		return
	}
	w.key = len(src.Key) > keptHeaderBytes(src)
	w.headers = !w.key
	b.reject(dst, src, reason, detail, w)
	if Size(dst) <= bound {
		return
	}
	b.reject(dst, src, reason, detail, withheld{value: true, key: true, headers: true})
}

// Sizes say how long the parts of a record are that nobody has: -1 where it had none.
type Sizes struct{ Value, Key, Headers int64 }

// SetAside fills dst with the rejected record of src where nothing of it came but its coordinates and its time: key, value and
// headers of src are not its own.
func (b *Batch) SetAside(dst, src *kgo.Record, reason Reason, detail string, had Sizes) {
	bare := *src
	bare.Key, bare.Value, bare.Headers = nil, nil, nil
	b.reject(dst, &bare, reason, detail, withheld{})
	for _, part := range []struct {
		name string
		size int64
	}{{HeaderValueBytes, had.Value}, {HeaderKeyBytes, had.Key}, {HeaderHeaderBytes, had.Headers}} {
		if part.size >= 0 && (part.size > 0 || part.name != HeaderHeaderBytes) {
			b.add(dst, part.name, b.number(int(part.size)))
		}
	}
}

// withheld says which parts of a source record are left out.
type withheld struct{ value, key, headers bool }

func (b *Batch) reject(dst, src *kgo.Record, reason Reason, detail string, w withheld) {
	b.open(dst, src, rejectedHeaders)
	dst.Topic = b.rejected
	if w.headers {
		dst.Headers = dst.Headers[:0]
	}
	b.common(dst, src, b.enc.verdicts.rejected)
	word, ok := b.enc.reasons[reason]
	if !ok {
		word = []byte(reason)
	}
	b.add(dst, HeaderReason, word)
	b.add(dst, HeaderDetail, b.text(cut(detail, MaxDetailBytes)))
	if !b.now.IsZero() {
		dst.Timestamp = b.now
		b.add(dst, HeaderTimestamp, b.time(src.Timestamp.UnixMilli()))
	}
	if w.value && src.Value != nil {
		dst.Value = nil
		b.add(dst, HeaderValueBytes, b.number(len(src.Value)))
	}
	if w.key {
		dst.Key = nil
		b.add(dst, HeaderKeyBytes, b.number(len(src.Key)))
	}
	if w.headers {
		b.add(dst, HeaderHeaderBytes, b.number(keptHeaderBytes(src)))
	}
}
