package audit

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/cespare/xxhash/v2"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index"
)

// stream is one source partition: its records, and the passes that the journal made over them.
type stream struct {
	place
	first   int64 // its log begins here
	records []record
	passes  []*pass
}

// pass is the time between two repositions.
type pass struct {
	start    int64 // the offset it began at
	base     int64 // all below was announced as forwarded when the next pass began
	verdicts map[int64]index.Verdict
}

// record is what is remembered of a source record.
type record struct {
	facts
	offset int64
	out    []bool // for each pass, whether an output record is accounted to it
}

// facts are what forwarding must not change, as digests.
type facts struct {
	key, value, headers digest
	timestamp           int64 // ms
}

// digest tells byte strings apart, null from empty too.
type digest struct {
	null  bool
	bytes int
	sum   uint64
}

func digestOf(b []byte) digest { return digest{null: b == nil, bytes: len(b), sum: xxhash.Sum64(b)} }

// factsOf digests a record without the headers of our prefix.
func factsOf(r *kgo.Record) facts {
	return facts{key: digestOf(r.Key), value: digestOf(r.Value), headers: headersOf(r), timestamp: r.Timestamp.UnixMilli()}
}

// headersOf digests the headers that are not ours, in their order. Its bytes are those of names and values.
func headersOf(r *kgo.Record) digest {
	var (
		d    digest
		flat []byte
	)
	for i := range r.Headers {
		h := &r.Headers[i]
		if ours(h.Key) {
			continue
		}
		d.bytes += len(h.Key) + len(h.Value)
		length := int64(len(h.Value))
		if h.Value == nil {
			length = -1
		}
		flat = append(binary.AppendVarint(flat, int64(len(h.Key))), h.Key...)
		flat = append(binary.AppendVarint(flat, length), h.Value...)
	}
	d.sum = xxhash.Sum64(flat)
	return d
}

// source remembers a source record. They come in order of offset.
func (a *audit) source(r *kgo.Record) error {
	s := a.streams[place{r.Topic, r.Partition}]
	if s == nil {
		return nil // a partition added after the audit began: nothing is owed yet
	}
	s.records = append(s.records, record{offset: r.Offset, facts: factsOf(r), out: make([]bool, len(s.passes))})
	return nil
}

func (s *stream) find(offset int64) (*record, bool) {
	i, ok := slices.BinarySearchFunc(s.records, offset, func(r record, offset int64) int { return cmp.Compare(r.offset, offset) })
	if !ok {
		return nil, false
	}
	return &s.records[i], true
}

// reached says whether a pass began at or below an offset.
func (s *stream) reached(offset int64) bool {
	return slices.ContainsFunc(s.passes, func(p *pass) bool { return p.start <= offset })
}

// owed says whether pass i has to have an output of an offset: it began at or below, and got beyond.
func (s *stream) owed(i int, offset int64) bool {
	p := s.passes[i]
	return offset >= p.start && (i == len(s.passes)-1 || offset < p.base)
}

// standIn accounts an output that is none of its own to the first pass that lacks one.
func (s *stream) standIn(rec *record) bool {
	for i, p := range s.passes {
		if !rec.out[i] && rec.offset >= p.start {
			rec.out[i] = true
			return true
		}
	}
	return false
}

// borrow finds pass i an output of a record among those accounted to earlier passes that need not have one, if nothing
// tells the two apart.
func (s *stream) borrow(i int, rec *record) bool {
	for j := range i {
		if rec.out[j] && !s.owed(j, rec.offset) && s.passes[i].same(s.passes[j], rec.offset) {
			rec.out[j], rec.out[i] = false, true
			return true
		}
	}
	return false
}

// same says whether two passes promise the same output for an offset. Where in the journal the representative was judged
// shows in no header, and differs if it was judged again, too.
func (p *pass) same(q *pass, offset int64) bool {
	v, judged := p.verdicts[offset]
	w, too := q.verdicts[offset]
	v.Match.Position, w.Match.Position = index.Position{}, index.Position{}
	return judged == too && v.Match == w.Match && v.Reemitted == w.Reemitted && v.Forgotten == w.Forgotten
}

// says is what a pass decided about an offset.
func (p *pass) says(offset int64) string {
	v, judged := p.verdicts[offset]
	switch {
	case !judged:
		return "has no verdict"
	case v.Unique() && v.Forgotten:
		return "has forgotten it"
	case v.Unique():
		return "says " + unique
	}
	return "says " + duplicate
}
