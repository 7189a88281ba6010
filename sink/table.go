package sink

import (
	"slices"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/text"
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
	HeaderLate        = Prefix + "late"
	HeaderIgnored     = Prefix + "ignored"
	HeaderUnchecked   = Prefix + "unchecked"
	HeaderReason      = Prefix + "reason"
	HeaderDetail      = Prefix + "detail"
	HeaderValueBytes  = Prefix + "value-bytes"
	HeaderKeyBytes    = Prefix + "key-bytes"
	HeaderHeaderBytes = Prefix + "header-bytes"
	HeaderTimestamp   = Prefix + "timestamp"
)

// LastHeader returns the last header with a name, which is the one that counts.
func LastHeader(headers []kgo.RecordHeader, name string) ([]byte, bool) {
	for _, h := range slices.Backward(headers) {
		if h.Key == name {
			return h.Value, true
		}
	}
	return nil, false
}

// On says which records have a header.
type On uint8

// Kinds of records, by the headers that they have.
const (
	OnAll       On = iota
	OnCopies       // duplicates, and copies that were let through as unique
	OnCut          // unique documents that were not compared with all their candidates
	OnUnchecked    // documents that were forwarded without being judged
	OnLate         // late documents; the worst case counts them only where there can be any
	OnIgnoring     // judged documents of which something does not count; the worst case counts them only where there can be any
	OnRejected     // rejected documents
	OnWithheld     // rejected documents without a part of their record; the worst case does not count these headers
	kinds
)

// Header is one of our headers. The encoder writes the headers in the table, and the worst case counts them. The audit
// has a table of its own.
type Header struct {
	Name   string
	On     On
	Has    func(t *Facts) bool               // nil if every record of that kind has it
	Most   func(n Names) int                 // bytes of the value, at most
	Append func(dst []byte, t *Facts) []byte // appends the value
}

// Names are the names that the headers of all records repeat.
type Names struct{ Index, Algorithm, Topic string }

// Facts is what the headers say about a record.
type Facts struct {
	Names     // topic, partition and offset of the source record
	Partition int32
	Offset    int64
	Verdict   string

	Match *index.Match // set for a copy
	Late  int64        // seconds; 0 is in time

	Ignored compare.Similarity // share of the shingles that do not count; 0/0 is none

	Unchecked UncheckedReason // set for a document that was not judged

	Reason   Reason // set for a rejected document
	Detail   string
	Retimed  bool  // its record has another timestamp than the source record
	Time     int64 // if Retimed: the source record's timestamp, ms since 1970
	Withheld Sizes // bytes of the withheld parts; -1 is not withheld
}

// Headers lists our headers in the order in which they are written. A new header needs a name above, a row here and one
// in the audit's table. If it raises the worst case, documents are rejected that were judged before: then
// index.SettingsVersion must rise.
func Headers() []Header {
	return []Header{
		{HeaderVerdict, OnAll, nil, upTo(len(Duplicate)), func(dst []byte, t *Facts) []byte { return append(dst, t.Verdict...) }},
		{HeaderSource, OnAll, nil, func(n Names) int { return len(n.Topic) + maxCoordinatesBytes }, appendSource},
		{HeaderIndex, OnAll, nil, func(n Names) int { return len(n.Index) }, func(dst []byte, t *Facts) []byte { return append(dst, t.Index...) }},
		{HeaderAlgorithm, OnAll, nil, func(n Names) int { return len(n.Algorithm) }, func(dst []byte, t *Facts) []byte { return append(dst, t.Algorithm...) }},

		{HeaderMatch, OnCopies, nil, upTo(maxTopicBytes + maxCoordinatesBytes), appendMatch},
		{HeaderMatchID, OnCopies, nil, upTo(MaxIDBytes), appendMatchID},
		{HeaderMatchTime, OnCopies, nil, upTo(len(timeLayout)), func(dst []byte, t *Facts) []byte { return appendTime(dst, t.Match.Time) }},
		{HeaderSimilarity, OnCopies, nil, upTo(len("0.0000")), func(dst []byte, t *Facts) []byte { return appendSimilarity(dst, t.Match.Similarity) }},
		{HeaderMethod, OnCopies, nil, upTo(longestMethod), func(dst []byte, t *Facts) []byte { return append(dst, t.Match.Method.String()...) }},
		{HeaderCopy, OnCopies, nil, upTo(maxDecimalBytes), func(dst []byte, t *Facts) []byte { return strconv.AppendUint(dst, t.Match.Copy, 10) }},

		{HeaderCut, OnCut, nil, upTo(len(cutCandidates)), func(dst []byte, _ *Facts) []byte { return append(dst, cutCandidates...) }},

		{HeaderUnchecked, OnUnchecked, nil, upTo(longest(UncheckedReasons())), func(dst []byte, t *Facts) []byte { return append(dst, t.Unchecked...) }},

		{HeaderLate, OnLate, func(t *Facts) bool { return t.Late != 0 }, upTo(maxDecimalBytes), func(dst []byte, t *Facts) []byte { return strconv.AppendInt(dst, t.Late, 10) }},

		{HeaderIgnored, OnIgnoring, func(t *Facts) bool { return t.Ignored.Num != 0 }, upTo(len("0.0000")), func(dst []byte, t *Facts) []byte { return appendSimilarity(dst, t.Ignored) }},

		{HeaderReason, OnRejected, nil, upTo(longest(Reasons())), func(dst []byte, t *Facts) []byte { return append(dst, t.Reason...) }},
		{HeaderDetail, OnRejected, nil, upTo(MaxDetailBytes), func(dst []byte, t *Facts) []byte { return append(dst, text.Cut(t.Detail, MaxDetailBytes)...) }},
		{HeaderTimestamp, OnRejected, func(t *Facts) bool { return t.Retimed }, upTo(maxDecimalBytes), func(dst []byte, t *Facts) []byte { return strconv.AppendInt(dst, t.Time, 10) }},

		withheldHeader(HeaderValueBytes, func(t *Facts) int64 { return t.Withheld.Value }),
		withheldHeader(HeaderKeyBytes, func(t *Facts) int64 { return t.Withheld.Key }),
		withheldHeader(HeaderHeaderBytes, func(t *Facts) int64 { return t.Withheld.Headers }),
	}
}

// cutCandidates says whether candidates were left out.
const cutCandidates = "candidates"

const longestMethod = len("levenshtein")

func upTo(n int) func(Names) int { return func(Names) int { return n } }

func withheldHeader(name string, size func(*Facts) int64) Header {
	return Header{
		name, OnWithheld, func(t *Facts) bool { return size(t) >= 0 }, upTo(maxDecimalBytes),
		func(dst []byte, t *Facts) []byte { return strconv.AppendInt(dst, size(t), 10) },
	}
}

func appendSource(dst []byte, t *Facts) []byte {
	return appendCoordinates(dst, t.Topic, t.Partition, t.Offset)
}

func appendMatch(dst []byte, t *Facts) []byte {
	return appendCoordinates(dst, t.Match.Topic, t.Match.Source.Partition, t.Match.Offset)
}

// appendMatchID appends the id of the representative, or its coordinates if it has none.
func appendMatchID(dst []byte, t *Facts) []byte {
	if id := t.Match.ID; id != "" {
		return append(dst, id[:min(len(id), MaxIDBytes)]...)
	}
	return appendMatch(dst, t)
}

// appendCoordinates appends topic/partition/offset.
func appendCoordinates(dst []byte, topic string, partition int32, offset int64) []byte {
	dst = append(append(dst, topic...), '/')
	dst = append(strconv.AppendInt(dst, int64(partition), 10), '/')
	return strconv.AppendInt(dst, offset, 10)
}

// RFC 3339 knows the years 0000 to 9999, and a document may claim any. A time beyond them is shown as the nearest that
// it knows.
const (
	timeLayout = "2006-01-02T15:04:05.000Z"
	minTime    = -62167219200000
	maxTime    = 253402300799999
)

func appendTime(dst []byte, ms int64) []byte {
	return time.UnixMilli(min(max(ms, minTime), maxTime)).UTC().AppendFormat(dst, timeLayout)
}

// appendSimilarity writes four decimals, rounded down, so that 1.0000 means equal.
func appendSimilarity(dst []byte, s compare.Similarity) []byte {
	n := min(max(s.TenThousandths(), 0), 10000)
	return append(dst, digit(n/10000), '.', digit(n/1000), digit(n/100), digit(n/10), digit(n))
}

func digit(n int) byte { return "0123456789"[n%10] }
