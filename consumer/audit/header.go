package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
)

// The headers as start.md promises them to readers, written down here once more. The encoder has a table of its
// own, and nothing here is taken from it: else a mistake there would be expected here.

// Names of our headers.
const (
	prefix            = "unecho-"
	headerVerdict     = prefix + "verdict"
	headerSource      = prefix + "source"
	headerIndex       = prefix + "index"
	headerAlgorithm   = prefix + "algorithm"
	headerMatch       = prefix + "match"
	headerMatchID     = prefix + "match-id"
	headerMatchTime   = prefix + "match-time"
	headerSimilarity  = prefix + "similarity"
	headerMethod      = prefix + "method"
	headerCopy        = prefix + "copy"
	headerCut         = prefix + "cut"
	headerUnchecked   = prefix + "unchecked"
	headerLate        = prefix + "late"
	headerIgnored     = prefix + "ignored"
	headerReason      = prefix + "reason"
	headerDetail      = prefix + "detail"
	headerTimestamp   = prefix + "timestamp"
	headerValueBytes  = prefix + "value-bytes"
	headerKeyBytes    = prefix + "key-bytes"
	headerHeaderBytes = prefix + "header-bytes"
)

// Words in them.
const (
	wordUnique    = "unique"
	wordDuplicate = "duplicate"
	wordRejected  = "rejected"
	candidates    = "candidates"    // were left out
	byCondition   = "condition"     // of sources.when, which does not hold
	inOutage      = "outage"        // of the journal
	badTimestamp  = "bad_timestamp" // it is not forwardable
	outputRefused = "output_refused"
)

// Limits of what headers say, in bytes.
const (
	mostID     = 1024
	mostDetail = 256
)

// reasons are those for which a document may be rejected.
func reasons() []string {
	return []string{
		"too_large", "invalid_encoding", "invalid_json", "undecodable", "unknown_schema", "missing_field", "wrong_type",
		"empty", badTimestamp, outputRefused,
	}
}

// unchecked is a reason to forward a document without judging it.
type unchecked struct {
	reason  string
	setting string // there is such a document only where this is set; "": it needs none that decides verdicts
	always  bool   // also where the journal has a verdict, which came later
}

func uncheckeds() []unchecked {
	return []unchecked{{byCondition, "sources.when", false}, {inOutage, "", true}}
}

func reasonsUnchecked() (all []string) {
	for _, u := range uncheckeds() {
		all = append(all, u.reason)
	}
	return all
}

// methods are the words for the ways in which a match is verified, by their numbers.
func methods() []string {
	return []string{
		compare.Identical: "identical", compare.Jaccard: "jaccard", compare.Estimate: "estimate", compare.Hamming: "hamming",
		compare.Levenshtein: "levenshtein", compare.Resent: "resent",
	}
}

// kind says which records have a header.
type kind int

// Kinds of headers. An output record has those of onAll, and of others by its verdict.
const (
	onAll       kind = iota
	onCopies         // duplicates, and copies that were let through as unique
	onCut            // unique documents that were not compared with all their candidates
	onUnchecked      // documents that nobody judged before they were forwarded
	onLate           // late documents
	onIgnoring       // documents of which something does not count, where a list says what
	onRejected       // rejected documents
	onChanged        // rejected documents without a part of their record, or with another timestamp
)

// known is what is known of a document whose headers are checked.
type known struct {
	verdict, source, index, algorithm string
	match                             *index.Match // nil: there is none, or it is not known
	late                              int64        // seconds; 0: it is not late, or that is not known
	unchecked                         string
}

type row struct {
	name    string
	on      kind
	decimal bool                    // it is a number in the topic of verdicts
	says    func(s *known) string   // what it must say; "": that is not known; nil: it is free, or checked elsewhere
	form    func(value string) bool // the form of all it may say
}

func table() []row {
	of := func(says func(m *index.Match) string) func(s *known) string {
		return func(s *known) string {
			if s.match == nil {
				return ""
			}
			return says(s.match)
		}
	}
	return []row{
		{headerVerdict, onAll, false, func(s *known) string { return s.verdict }, oneOf(wordUnique, wordDuplicate, wordRejected)},
		{headerSource, onAll, false, func(s *known) string { return s.source }, isCoordinates},
		{headerIndex, onAll, false, func(s *known) string { return s.index }, atMost(mostID)},
		{headerAlgorithm, onAll, false, func(s *known) string { return s.algorithm }, atMost(mostID)},
		{headerMatch, onCopies, false, of(matchCoordinates), isCoordinates},
		{headerMatchID, onCopies, false, of(idOf), atMost(mostID)},
		{headerMatchTime, onCopies, false, of(func(m *index.Match) string { return nearest(m.Time) }), isInstant},
		{headerSimilarity, onCopies, true, of(func(m *index.Match) string { return ratio(m.Similarity) }), isRatio},
		{headerMethod, onCopies, false, of(func(m *index.Match) string { return methods()[m.Method] }), isMethod},
		{headerCopy, onCopies, true, of(func(m *index.Match) string { return strconv.FormatUint(m.Copy, 10) }), isCount},
		{headerCut, onCut, false, func(*known) string { return candidates }, oneOf(candidates)},
		{headerUnchecked, onUnchecked, false, func(s *known) string { return s.unchecked }, oneOf(reasonsUnchecked()...)},
		{headerLate, onLate, true, lateness, isCount},
		{headerIgnored, onIgnoring, true, nil, isRatio}, // the journal does not have it
		{headerReason, onRejected, false, nil, oneOf(reasons()...)},
		{headerDetail, onRejected, false, nil, atMost(mostDetail)},
		// altered holds these against the source record
		{headerTimestamp, onChanged, true, nil, atMost(mostDetail)},
		{headerValueBytes, onChanged, true, nil, atMost(mostDetail)},
		{headerKeyBytes, onChanged, true, nil, atMost(mostDetail)},
		{headerHeaderBytes, onChanged, true, nil, atMost(mostDetail)},
	}
}

func matchCoordinates(m *index.Match) string {
	return coordinates(m.Topic, m.Source.Partition, m.Offset)
}

// idOf is the id of the representative, or its place if it has none.
func idOf(m *index.Match) string { return cmp.Or(m.ID[:min(len(m.ID), mostID)], matchCoordinates(m)) }

// nearest writes a time in RFC 3339: one that it does not know as the nearest that it knows.
func nearest(ms int64) string {
	first, end := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	text, _ := instant(min(max(ms, first.UnixMilli()), end.UnixMilli()-1))
	return text
}

// ratio writes a fraction with four decimals, rounded down.
func ratio(s compare.Similarity) string {
	n := min(uint64(s.Num)*10_000/uint64(max(s.Den, 1)), 10_000)
	return fmt.Sprintf("%d.%04d", n/10_000, n%10_000)
}

func lateness(s *known) string {
	if s.late == 0 {
		return ""
	}
	return strconv.FormatInt(s.late, 10)
}

func oneOf(words ...string) func(string) bool {
	return func(value string) bool { return slices.Contains(words, value) }
}

func atMost(bytes int) func(string) bool {
	return func(value string) bool { return len(value) <= bytes }
}

func isCoordinates(value string) bool {
	_, _, ok := parse(value)
	return ok
}

func isInstant(value string) bool {
	at, err := time.Parse(time.RFC3339, value)
	return err == nil && nearest(at.UnixMilli()) == value
}

func isRatio(value string) bool {
	return value == "1.0000" || len(value) == 6 && strings.HasPrefix(value, "0.") && isDigits(value[2:])
}

func isMethod(value string) bool {
	return slices.Contains(methods()[compare.Identical:], value)
}

func isCount(value string) bool { return isDigits(value) && (value == "0" || value[0] != '0') }

func isDigits(value string) bool {
	return value != "" && strings.Trim(value, "0123456789") == ""
}

func headerNames() []string {
	var all []string
	for _, h := range table() {
		all = append(all, h.name)
	}
	return all
}

// knownOf returns what is known of the document of an output without its verdict's details.
func (a *audit) knownOf(source, verdict string) *known {
	return &known{verdict: verdict, source: source, index: a.in.Index, algorithm: a.algorithm}
}

// common returns the headers that every output record has, without its verdict.
func (a *audit) common(source string) headers {
	all, s := headers{}, a.knownOf(source, "")
	for _, h := range a.table {
		if h.on == onAll {
			all[h.name] = []byte(h.says(s))
		}
	}
	return all
}

// wrong returns how headers differ from what a document must say, or "". A document has all headers of the kinds in
// must, and may have those of the kinds in may.
func (a *audit) wrong(got headers, s *known, must []kind, may ...kind) string {
	want := headers{}
	for _, h := range a.table {
		value, there := got[h.name]
		says := ""
		if h.says != nil {
			says = h.says(s)
		}
		switch due := slices.Contains(must, h.on); {
		case !due && (!there || !slices.Contains(may, h.on)):
		case says != "":
			want[h.name] = []byte(says)
		case there && !h.form(string(value)):
			return fmt.Sprintf("%s is %s, which it cannot say", h.name, quote(value))
		default:
			want[h.name] = value
		}
	}
	return differs(got, want, "the journal says")
}
