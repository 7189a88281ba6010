package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/setting"
)

// ours says whether a header's name is of our prefix, in whatever case: such a header on a source record is not
// trusted.
func ours(name string) bool {
	return len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
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

// unlike returns how the headers of a document whose verdict stands differ from what they promise, or "".
func (a *audit) unlike(got headers, source string, v *index.Verdict) string {
	s, must := a.knownOf(source, wordDuplicate), []kind{onAll}
	if v.Unique() {
		s.verdict = wordUnique
	}
	if s.late = v.Late; v.Late != 0 {
		must = append(must, onLate)
	}
	switch {
	case v.Matched():
		s.match, must = &v.Match, append(must, onCopies)
	case v.Cut:
		must = append(must, onCut)
	}
	return a.wrong(got, s, must, ignoring(a.in.Params)...)
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
	_, retimed := got[headerTimestamp]
	switch bad := string(got[headerReason]) == badTimestamp; {
	case bad && forwardable(was.timestamp):
		return fmt.Sprintf("rejected as %s, which %d is not", badTimestamp, was.timestamp)
	case bad && !retimed:
		return headerTimestamp + " is missing"
	}
	return ""
}

func coordinates(topic string, partition int32, offset int64) string {
	return fmt.Sprintf("%s/%d/%d", topic, partition, offset)
}

// parse reads topic/partition/offset.
func parse(s string) (p entry.PartitionName, offset int64, ok bool) {
	parts := strings.Split(s, "/")
	if len(parts) != 3 {
		return entry.PartitionName{}, 0, false
	}
	partition, err := strconv.ParseInt(parts[1], 10, 32)
	offset, err2 := strconv.ParseInt(parts[2], 10, 64)
	p = entry.Name(parts[0], int32(partition))
	return p, offset, err == nil && err2 == nil && coordinates(p.Topic, p.Partition, offset) == s
}

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
	if d := a.wrong(got, a.knownOf(source, wordRejected), []kind{onAll, onRejected}, onChanged); d != "" {
		return d
	}
	reason := got[headerReason]
	switch {
	case !judged:
		return ""
	case v.Unique() && !v.Forgotten:
		return "rejected, the journal holds a verdict that stands: unique"
	case string(reason) != outputRefused:
		return fmt.Sprintf("rejected as %s, the journal holds a verdict", quote(reason))
	}
	return ""
}

// anyVerdict returns what is wrong with the headers of a document whose verdict is not known, or "". They must be
// complete, and each in its form.
func (a *audit) anyVerdict(got headers, source string) string {
	s := a.knownOf(source, string(got[headerVerdict]))
	_, matched := got[headerMatch]
	_, cut := got[headerCut]
	may := append(ignoring(a.in.Params), onLate)
	switch {
	case matched || s.verdict == wordDuplicate:
		return a.wrong(got, s, []kind{onAll, onCopies}, may...)
	case cut:
		return a.wrong(got, s, []kind{onAll, onCut}, may...)
	}
	return a.wrong(got, s, []kind{onAll}, may...)
}

// ignoring are the headers that judged documents may have where a list says what does not count.
func ignoring(p index.Params) []kind {
	if p.Duplicates.Ignored.Len() == 0 {
		return nil
	}
	return []kind{onIgnoring}
}

// unchecked says that an output claims that it was not judged. Where the journal has a verdict it counts only if that may
// have come later.
func (c *claim) unchecked(judged bool) bool {
	_, says := c.headers[headerUnchecked]
	return says && (!judged || uncheckedBy(c.headers).always)
}

// uncheckedBy returns the reason that headers have for it. One that is not known is the zero value.
func uncheckedBy(h headers) unchecked {
	for _, u := range uncheckeds() {
		if u.reason == string(h[headerUnchecked]) {
			return u
		}
	}
	return unchecked{}
}

// checkUnchecked returns what is wrong with the headers of a document that was forwarded without being judged, or "".
func (a *audit) checkUnchecked(got headers, source string) string {
	by := uncheckedBy(got)
	if by.setting != "" && !sets(a.settings, by.setting) {
		return headerUnchecked + " is there, and the settings have no " + by.setting
	}
	s := a.knownOf(source, wordUnique)
	s.unchecked = by.reason
	return a.wrong(got, s, []kind{onAll, onUnchecked})
}

// bypassed says that an output claims to have been passed on while the journal was away. What the journal says of it
// since does not matter.
func (c *claim) bypassed() bool { return string(c.headers[headerUnchecked]) == inOutage }

// retimed says that an output has another timestamp than its source record, and claims to say which was that one's.
func (c *claim) retimed() bool {
	_, says := c.headers[headerTimestamp]
	return says
}

func valuesOf(settings []byte) (values map[string]any) {
	if json.Unmarshal(settings, &values) != nil {
		return nil
	}
	return values
}

// sets says whether settings have something below a plain key.
func sets(settings map[string]any, key string) bool {
	for of := range settings {
		if plain := setting.Plain(of); plain == key || strings.HasPrefix(plain, key+".") {
			return true
		}
	}
	return false
}

func names(h headers) []string { return slices.Sorted(maps.Keys(h)) }

// quote shows a header's value, which may be anything, on one line of a terminal.
func quote(value []byte) string {
	const most = 80
	if len(value) > most {
		return strconv.QuoteToASCII(string(value[:most])) + "..."
	}
	return strconv.QuoteToASCII(string(value))
}
