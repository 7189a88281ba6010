package audit

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index"
)

// What the README promises of headers, written down apart from package sink that keeps the promise.
const (
	prefix    = "unecho-"
	unique    = "unique"
	duplicate = "duplicate"
	rejected  = "rejected"

	headerVerdict = prefix + "verdict"
	headerSource  = prefix + "source"
	headerReason  = prefix + "reason"
	headerDetail  = prefix + "detail"
	headerCut     = prefix + "cut"

	withheldValue   = prefix + "value-bytes"
	withheldKey     = prefix + "key-bytes"
	withheldHeaders = prefix + "header-bytes"
	ownTimestamp    = prefix + "timestamp"

	outputRefused = "output_refused"
	cutCandidates = "candidates" // what unecho-cut says: some were left out

	maxID = 1 << 10 // bytes of unecho-match-id; longer ids are cut
)

func reasons() []string {
	return []string{
		"too_large", "invalid_encoding", "invalid_json", "missing_field", "wrong_type", "empty", outputRefused,
	}
}

// ours says whether a header's name is of our prefix, in whatever case: such a header on a source record is not trusted.
func ours(name string) bool {
	return len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
}

// headers are those of our prefix on an output record.
type headers map[string][]byte

// headersOn collects them. A name that stands twice is no promise of anything.
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

// common are the headers of every output record.
func (a *audit) common(source, verdict string) headers {
	return headers{
		headerVerdict: []byte(verdict), headerSource: []byte(source),
		prefix + "index": []byte(a.in.Index), prefix + "algorithm": []byte(a.in.Algorithm),
	}
}

// headerNames are the names of our headers.
func headerNames() []string {
	all := []string{headerVerdict, headerSource, prefix + "index", prefix + "algorithm", headerReason, headerDetail, headerCut, withheldValue, withheldKey, withheldHeaders, ownTimestamp}
	return append(all, matchNames()...)
}

// matchNames are those that tell of a match.
func matchNames() []string {
	return []string{prefix + "match", prefix + "match-id", prefix + "match-time", prefix + "method", prefix + "similarity", prefix + "copy"}
}

// promised are the headers of a document with a verdict that stands.
func (a *audit) promised(source string, v *index.Verdict) headers {
	h := a.common(source, duplicate)
	if v.Unique() {
		h = a.common(source, unique)
	}
	if !v.Matched() {
		if v.Cut {
			h[headerCut] = []byte(cutCandidates)
		}
		return h
	}
	m := &v.Match
	match := coordinates(m.Topic, m.Source.Partition, m.Offset)
	id := m.ID[:min(len(m.ID), maxID)]
	if id == "" {
		id = match
	}
	for name, value := range map[string]string{
		"match": match, "match-id": id, "match-time": instant(m.Time), "method": m.Method.String(),
		"similarity": fmt.Sprintf("%.4f", float64(m.Similarity.TenThousandths())/10000), "copy": strconv.FormatUint(m.Copy, 10),
	} {
		h[prefix+name] = []byte(value)
	}
	return h
}

// instant is a time in ms since 1970 as RFC 3339 has it, in UTC; what lies before year 0 or after year 9999, which it cannot
// write, is the first or last millisecond of those.
func instant(ms int64) string {
	first, last := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli(), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()-1
	return time.UnixMilli(min(max(ms, first), last)).UTC().Format("2006-01-02T15:04:05.000Z")
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

// difference says how headers differ from those wanted, or nothing.
func difference(got, want headers) string {
	for _, name := range names(want) {
		value, ok := got[name]
		switch {
		case !ok:
			return name + " is missing"
		case !bytes.Equal(value, want[name]):
			return fmt.Sprintf("%s is %s, the journal says %s", name, quote(value), quote(want[name]))
		}
	}
	for _, name := range names(got) {
		if _, ok := want[name]; !ok {
			return fmt.Sprintf("%s is %s, and should not be there", name, quote(got[name]))
		}
	}
	return ""
}

// rejection says what is wrong with the headers of a rejected record, or nothing. A verdict that stands forbids rejection,
// except that a topic may refuse a duplicate, which leaves nothing to forget.
func (a *audit) rejection(got headers, source string, v *index.Verdict, judged bool) string {
	want := a.common(source, rejected)
	for _, name := range []string{headerReason, headerDetail, withheldValue, withheldKey, withheldHeaders, ownTimestamp} {
		if value, ok := got[name]; ok {
			want[name] = value
		}
	}
	if d := difference(got, want); d != "" {
		return d
	}
	reason := string(got[headerReason])
	switch _, detailed := got[headerDetail]; {
	case !slices.Contains(reasons(), reason):
		return fmt.Sprintf("%s is %s, which is none of the reasons", headerReason, quote([]byte(reason)))
	case !detailed:
		return headerDetail + " is missing"
	case !judged:
		return ""
	case v.Unique() && !v.Forgotten:
		return "rejected, the journal holds a verdict that stands: unique"
	case reason != outputRefused:
		return fmt.Sprintf("rejected as %s, the journal holds a verdict", quote([]byte(reason)))
	}
	return ""
}

// anyVerdict says what is wrong with the headers of a document whose verdict is not known, or nothing: they are complete.
func (a *audit) anyVerdict(got headers, source string) string {
	verdict := string(got[headerVerdict])
	want := a.common(source, verdict)
	_, matched := got[prefix+"match"]
	for _, name := range matchNames() {
		if matched || verdict == duplicate {
			want[name] = got[name]
		}
	}
	if _, cut := got[headerCut]; cut && verdict == unique && !matched {
		want[headerCut] = []byte(cutCandidates)
	}
	return difference(got, want)
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
