package sink

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/twmb/franz-go/pkg/kgo"
)

// The verdicts' topic has a record for each source record, for consumers that cannot read headers. Its key is what
// HeaderSource says, and its value one JSON object with the facts of the output's headers:
//
//	{"verdict":"duplicate","source":"news/3/42","index":"articles","algorithm":"minhash/2:9f86d081884c7d65",
//	 "match":"news/1/17","match_id":"a/17","match_time":"2026-01-01T00:00:00.001Z","similarity":0.9496,
//	 "method":"jaccard","copy":2,"time":"2026-01-01T00:00:00.123Z"}
//
// A field is called as its header is, without the prefix and with '_' for '-'. FieldTime is there beside them.

// FieldTime is the field of the source record's own timestamp. It is not there where RFC 3339 does not know the year;
// such a document is rejected, and the field of HeaderTimestamp is.
const FieldTime = "time"

// EncodedSuffix ends the name of a field whose text JSON cannot hold as it is, because it is not UTF-8, or has control
// characters, which would become six times as long. Its value is in base64 (RFC 4648, with padding).
const EncodedSuffix = "_base64"

// MaxVerdictBytes bounds the Size of a record of the verdicts' topic. Its longest texts are an id of MaxIDBytes, of
// which each byte may need a backslash, and two topics' names.
const MaxVerdictBytes = int(MinRecordBytes)

// WhyVerdictBytes says to a person why a topic must take records of MaxVerdictBytes.
const WhyVerdictBytes = "a record of verdicts may be as large (outputs.verdicts)"

// Field returns the name of a header's field in the verdicts' topic.
func (h *Header) Field() string {
	return strings.ReplaceAll(strings.TrimPrefix(h.Name, Prefix), "-", "_")
}

// Number says that the value of a header is a decimal number, also in JSON.
func (h *Header) Number() bool {
	switch h.Name {
	case HeaderSimilarity, HeaderCopy, HeaderLate, HeaderIgnored, HeaderTimestamp, HeaderValueBytes, HeaderKeyBytes, HeaderHeaderBytes:
		return true
	}
	return false
}

// HasVerdictTopic says that there is a topic of verdicts.
func (e *Encoder) HasVerdictTopic() bool { return e.params.Verdicts.Topic != "" }

// VerdictRecord fills dst with the record of the verdicts' topic about the output record that was encoded last, which was that
// of src. Like that it is valid until Reset. It has no timestamp yet.
func (b *Batch) VerdictRecord(dst, src *kgo.Record) {
	b.room(MaxVerdictBytes)
	at := len(b.bytes)
	b.bytes = appendSource(b.bytes, &b.told)
	key := b.bytes[at:len(b.bytes):len(b.bytes)]
	at = len(b.bytes)
	b.bytes = append(b.bytes, '{')
	for _, on := range b.wrote {
		for i := range b.enc.fields[on] {
			f := &b.enc.fields[on][i]
			if f.Has == nil || f.Has(&b.told) {
				b.bytes = append(f.append(b.bytes, &b.told), ',')
			}
		}
	}
	if ms := src.Timestamp.UnixMilli(); minTime <= ms && ms <= maxTime {
		b.bytes = append(append(append(b.bytes, '"'), FieldTime...), `":"`...)
		b.bytes = append(appendTime(b.bytes, ms), `",`...)
	}
	b.bytes[len(b.bytes)-1] = '}' // in the place of the last comma
	*dst = kgo.Record{Key: key, Value: b.bytes[at:len(b.bytes):len(b.bytes)], Partition: src.Partition, Topic: b.verdicts}
}

// field is a header as a field of an object.
type field struct {
	Header
	name    string // of the field
	decimal bool
}

// append appends "name":value.
func (f *field) append(dst []byte, t *Facts) []byte {
	begin := len(dst)
	dst = append(append(dst, '"'), f.name...)
	dst = append(dst, `":`...)
	if f.decimal {
		return f.Append(dst, t)
	}
	dst = append(dst, '"')
	at := len(dst)
	switch dst = f.Append(dst, t); {
	case plain(dst[at:]):
		return append(dst, '"')
	case representable(dst[at:]):
		return append(dst[:at-1], quoted(dst[at:])...)
	}
	encoded := base64.StdEncoding.EncodeToString(dst[at:])
	dst = append(append(dst[:begin], '"'), f.name...)
	dst = append(append(dst, EncodedSuffix...), `":"`...)
	return append(append(dst, encoded...), '"')
}

// plain says that a text stands in JSON as it is.
func plain(text []byte) bool {
	for _, c := range text {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func representable(text []byte) bool {
	return utf8.Valid(text) && !bytes.ContainsFunc(text, func(r rune) bool { return r < ' ' })
}

// quoted returns a text as a JSON string.
func quoted(text []byte) []byte {
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false)
	if err := to.Encode(string(text)); err != nil {
		panic("sink: a string does not encode: " + err.Error()) // our bug
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
