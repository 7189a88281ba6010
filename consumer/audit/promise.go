package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/sink"
)

// outputRefused is the one reason for which a duplicate may be rejected.
const outputRefused = string(sink.OutputRefused)

const badTimestamp = string(sink.BadTimestamp)

// ours says whether a header's name is of our prefix, in whatever case: such a header on a source record is not
// trusted.
func ours(name string) bool {
	return len(name) >= len(sink.Prefix) && strings.EqualFold(name[:len(sink.Prefix)], sink.Prefix)
}

// headers are those of our prefix on an output record.
type headers map[string][]byte

// headersOn collects our headers. A name that occurs twice is an error.
func headersOn(r *kgo.Record) (headers, error) {
	all := headers{}
	for _, h := range r.Headers {
		if !ours(h.Key) {
			continue
		}
		if _, twice := all[h.Key]; twice {
			return all, fmt.Errorf("header %s stands twice", h.Key)
		}
		all[h.Key] = h.Value
	}
	return all, nil
}

// said returns the headers that the table has for these kinds, with the values of t.
func said(t *sink.Told, kinds ...sink.On) headers {
	all := headers{}
	for _, h := range sink.Headers() {
		if slices.Contains(kinds, h.On) && (h.On != sink.OnLate || h.Has(t)) {
			all[h.Name] = h.Append(nil, t)
		}
	}
	return all
}

// sayings returns the facts about a source record from which headers are made.
func (a *audit) sayings(source, verdict string) *sink.Told {
	p, offset, _ := parse(source) // the caller has parsed it before
	return &sink.Told{
		Names:     sink.Names{Index: a.in.Index, Algorithm: a.algorithm, Topic: p.topic},
		Partition: p.partition, Offset: offset, Verdict: verdict,
	}
}

// common returns the headers that every output record has.
func (a *audit) common(source, verdict string) headers {
	return said(a.sayings(source, verdict), sink.OnAll)
}

// headerNames returns the names of our headers on records of these kinds; without kinds, of all.
func headerNames(kinds ...sink.On) []string {
	var all []string
	for _, h := range sink.Headers() {
		if len(kinds) == 0 || slices.Contains(kinds, h.On) {
			all = append(all, h.Name)
		}
	}
	return all
}

// promised returns the headers of a document whose verdict stands.
func (a *audit) promised(source string, v *index.Verdict) headers {
	t := a.sayings(source, sink.Duplicate)
	t.Late = v.Late
	if v.Unique() {
		t.Verdict = sink.Unique
	}
	switch {
	case v.Matched():
		t.Match = &v.Match
		return said(t, sink.OnAll, sink.OnCopies, sink.OnLate)
	case v.Cut:
		return said(t, sink.OnAll, sink.OnCut, sink.OnLate)
	}
	return said(t, sink.OnAll, sink.OnLate)
}

// instant writes a time in ms since 1970 in RFC 3339, in UTC. RFC 3339 has only the years 0 to 9999: any other time is
// written as its milliseconds, and is not in its form.
func instant(ms int64) (text string, inForm bool) {
	first, end := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	if ms < first.UnixMilli() || ms >= end.UnixMilli() {
		return strconv.FormatInt(ms, 10) + " ms", false
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z"), true
}

// forwardable says whether a document may come out with its own timestamp: the client library, which writes it, has
// nanoseconds in 64 bits.
func forwardable(ms int64) bool {
	return ms >= math.MinInt64/int64(time.Millisecond) && ms <= math.MaxInt64/int64(time.Millisecond)
}

// timely returns what is wrong with a rejection for the source record's timestamp, or "".
func timely(got headers, was *facts) string {
	_, retimed := got[sink.HeaderTimestamp]
	switch bad := string(got[sink.HeaderReason]) == badTimestamp; {
	case bad && forwardable(was.timestamp):
		return fmt.Sprintf("rejected as %s, which %d is not", badTimestamp, was.timestamp)
	case bad && !retimed:
		return sink.HeaderTimestamp + " is missing"
	}
	return ""
}

func coordinates(topic string, partition int32, offset int64) string {
	return fmt.Sprintf("%s/%d/%d", topic, partition, offset)
}

// parse reads topic/partition/offset.
func parse(s string) (p place, offset int64, ok bool) {
	parts := strings.Split(s, "/")
	if len(parts) != 3 {
		return place{}, 0, false
	}
	partition, err := strconv.ParseInt(parts[1], 10, 32)
	offset, err2 := strconv.ParseInt(parts[2], 10, 64)
	p = place{topic: parts[0], partition: int32(partition)}
	return p, offset, err == nil && err2 == nil && coordinates(p.topic, p.partition, offset) == s
}

// difference returns how headers differ from those that the journal wants, or "".
func difference(got, want headers) string { return differs(got, want, "the journal says") }

// differs returns how headers differ from those wanted, or "". Who says what is wanted.
func differs(got, want headers, who string) string {
	for _, name := range names(want) {
		value, ok := got[name]
		switch {
		case !ok:
			return name + " is missing"
		case !bytes.Equal(value, want[name]):
			return fmt.Sprintf("%s is %s, %s %s", name, quote(value), who, quote(want[name]))
		}
	}
	for _, name := range names(got) {
		if _, ok := want[name]; !ok {
			return fmt.Sprintf("%s is %s, and should not be there", name, quote(got[name]))
		}
	}
	return ""
}

// rejection returns what is wrong with the headers of a rejected record, or "". A document whose verdict stands must
// not be rejected, with one exception: a topic may refuse a duplicate, and then nothing has to be forgotten.
func (a *audit) rejection(got headers, source string, v *index.Verdict, judged bool) string {
	want := a.common(source, sink.Rejected)
	for _, name := range headerNames(sink.OnRejected, sink.OnWithheld) {
		if value, ok := got[name]; ok {
			want[name] = value
		}
	}
	if d := difference(got, want); d != "" {
		return d
	}
	reason := string(got[sink.HeaderReason])
	missing := missingOf(got)
	switch {
	case !slices.Contains(sink.Reasons(), sink.Reason(reason)):
		return fmt.Sprintf("%s is %s, which is none of the reasons", sink.HeaderReason, quote([]byte(reason)))
	case missing != "":
		return missing + " is missing"
	case !judged:
		return ""
	case v.Unique() && !v.Forgotten:
		return "rejected, the journal holds a verdict that stands: unique"
	case reason != outputRefused:
		return fmt.Sprintf("rejected as %s, the journal holds a verdict", quote([]byte(reason)))
	}
	return ""
}

// missingOf returns a header that each rejected record has and this one lacks, or "".
func missingOf(got headers) string {
	for _, h := range sink.Headers() {
		if _, there := got[h.Name]; h.On == sink.OnRejected && h.Has == nil && !there {
			return h.Name
		}
	}
	return ""
}

// anyVerdict returns what is wrong with the headers of a document whose verdict is not known, or "". They must be
// complete.
func (a *audit) anyVerdict(got headers, source string) string {
	verdict := string(got[sink.HeaderVerdict])
	t := a.sayings(source, verdict)
	_, matched := got[sink.HeaderMatch]
	_, cut := got[sink.HeaderCut]
	if late, ok := got[sink.HeaderLate]; ok {
		t.Late, _ = strconv.ParseInt(string(late), 10, 64) // what does not parse is a difference
	}
	switch {
	case matched || verdict == sink.Duplicate:
		want := said(t, sink.OnAll, sink.OnLate)
		for _, name := range headerNames(sink.OnCopies) {
			want[name] = got[name]
		}
		return difference(got, want)
	case cut && verdict == sink.Unique:
		return difference(got, said(t, sink.OnAll, sink.OnCut, sink.OnLate))
	}
	return difference(got, said(t, sink.OnAll, sink.OnLate))
}

// unchecked says that an output claims that nobody asked to judge it.
func (c *claim) unchecked() bool {
	_, says := c.headers[sink.HeaderUnchecked]
	return says
}

// unasked returns what is wrong with the headers of a document that was forwarded without being judged, or "". There are
// such only where the settings have conditions.
func (a *audit) unasked(got headers, source string) string {
	if !a.conditions {
		return sink.HeaderUnchecked + " is there, and the settings have no source.when"
	}
	t := a.sayings(source, sink.Unique)
	t.Unchecked = sink.ByCondition
	return difference(got, said(t, sink.OnAll, sink.OnUnchecked))
}

// passedOn says that an output claims to have been passed on while the journal was away.
func (c *claim) passedOn() bool {
	return string(c.headers[sink.HeaderUnchecked]) == string(sink.InOutage)
}

// retimed says that an output has another timestamp than its source record, and claims to say which was that one's.
func (c *claim) retimed() bool {
	_, says := c.headers[sink.HeaderTimestamp]
	return says
}

// passed returns what is wrong with the headers of a document that was passed on while the journal was away, or "". What
// the journal says of it since does not matter.
func (a *audit) passed(got headers, source string) string {
	t := a.sayings(source, sink.Unique)
	t.Unchecked = sink.InOutage
	return difference(got, said(t, sink.OnAll, sink.OnUnchecked))
}

// haveConditions says whether settings have conditions that a document must meet to be checked.
func haveConditions(settings []byte) bool {
	var values struct {
		When []string `json:"source.when"`
	}
	return json.Unmarshal(settings, &values) == nil && len(values.When) > 0
}

func names(h headers) []string {
	var all []string
	for name := range h {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// quote shows a header's value, which may be anything, on one line of a terminal.
func quote(value []byte) string {
	const most = 80
	if len(value) > most {
		return strconv.QuoteToASCII(string(value[:most])) + "..."
	}
	return strconv.QuoteToASCII(string(value))
}
