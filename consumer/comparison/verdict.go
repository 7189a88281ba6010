package comparison

import (
	"math"
	"strconv"
	"strings"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/sink"
)

// kind is what a group said of a document.
type kind uint8

const (
	unsaid kind = iota // nothing is known
	unique             // as well a copy that was let through
	duplicate
	rejected
	unclear // outputs in several topics say different things, and nobody knows which was the last
)

// word is what outputs and reports call a kind.
func (k kind) word() string {
	switch k {
	case unsaid:
		return ""
	case unique:
		return sink.Unique
	case duplicate:
		return sink.Duplicate
	case rejected:
		return sink.Rejected
	case unclear:
		return "unclear"
	}
	return ""
}

// document names a document. Topic is a number of names; 0: there is no document.
type document struct {
	offset    int64
	partition int32
	topic     uint16
}

// verdict is what is kept of a group's verdict: 24 bytes.
type verdict struct {
	match      document // the original of a duplicate, or of a copy that was let through
	similarity uint16   // to the match, in units of 0.0001
	output     uint16   // number of the output topic that says it
	kind       kind
}

// names numbers topics, from 1.
type names struct {
	numbers map[string]uint16
	all     []string
}

func (n *names) number(topic string) uint16 {
	at, ok := n.numbers[topic]
	if !ok {
		if n.numbers == nil {
			n.numbers = map[string]uint16{}
		}
		n.all = append(n.all, topic)
		at = uint16(len(n.all)) // a cluster has fewer topics than 65,535
		n.numbers[topic] = at
	}
	return at
}

// judged is a verdict of the journal.
func (n *names) judged(v *index.Verdict) verdict {
	out := verdict{kind: duplicate}
	if v.Unique() {
		out.kind = unique
	}
	if v.Matched() {
		out.match = document{v.Match.Offset, v.Match.Source.Partition, n.number(v.Match.Topic)}
		out.similarity = uint16(min(v.Match.Similarity.TenThousandths(), whole))
	}
	return out
}

// whole is the similarity of equal documents.
const whole = 10_000

// said is the verdict that the headers of an output tell.
func (n *names) said(header func(name string) string) (out verdict) {
	for k := unique; k <= rejected; k++ {
		if header(sink.HeaderVerdict) == k.word() {
			out.kind = k
		}
	}
	if topic, partition, offset, ok := parse(header(sink.HeaderMatch)); ok && out.kind != unsaid {
		out.match = document{offset, partition, n.number(topic)}
		if s, err := strconv.ParseFloat(header(sink.HeaderSimilarity), 64); err == nil {
			out.similarity = uint16(min(max(0, math.Round(s*whole)), whole))
		}
	}
	return out
}

// parse reads topic/partition/offset.
func parse(place string) (topic string, partition int32, offset int64, ok bool) {
	parts := strings.Split(place, "/")
	if len(parts) != 3 {
		return "", 0, 0, false
	}
	number, err := strconv.ParseInt(parts[1], 10, 32)
	offset, err2 := strconv.ParseInt(parts[2], 10, 64)
	return parts[0], int32(number), offset, err == nil && err2 == nil
}
