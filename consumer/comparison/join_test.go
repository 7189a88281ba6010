package comparison

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/succession"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// story is a comparison of one partition of the topic news. Documents stand at the offsets from 10 on.
func story(t *testing.T, known int64, older, newer []verdict) *comparison {
	t.Helper()
	p := &part{Span: Span{"news", 0, 10, 10 + int64(len(older))}, known: known}
	p.older, p.newer = kept{10, older}, kept{10, newer}
	c := &comparison{
		Inputs: Inputs{Old: succession.Group{Name: "old"}, New: succession.Group{Name: "new"}, Examples: 100},
		parts:  []*part{p}, byPlace: map[place]*part{{"news", 0}: p},
	}
	p.number = c.matches.number("news")
	c.join()
	return c
}

func copyOf(offset int64, similarity uint16) verdict {
	return verdict{match: document{offset, 0, 1}, similarity: similarity, kind: duplicate}
}

// Each pair of verdicts counts where it belongs, and differs or does not.
func TestJoin(t *testing.T) {
	u, r, x, none := verdict{kind: unique}, verdict{kind: rejected}, verdict{kind: unclear}, verdict{}
	a, b := copyOf(3, 9000), copyOf(4, 8000)
	through := verdict{match: document{3, 0, 1}, similarity: 9000, kind: unique}
	for _, c := range []struct {
		name         string
		older, newer verdict
		known        int64
		count        func(*Report) int64
		differs      bool
	}{
		{"both unique", u, u, 0, func(r *Report) int64 { return r.BothUnique }, false},
		{"a copy that was let through", through, u, 0, func(r *Report) int64 { return r.BothUnique }, false},
		{"the same original", a, copyOf(3, 7000), 0, func(r *Report) int64 { return r.SameOriginal }, false},
		{"another original", a, b, 0, func(r *Report) int64 { return r.OtherOriginal }, true},
		{"only old", a, u, 0, func(r *Report) int64 { return r.OnlyOld }, true},
		{"only new", u, b, 0, func(r *Report) int64 { return r.OnlyNew }, true},
		{"both rejected", r, none, 10, func(r *Report) int64 { return r.BothRejected }, false},
		{"rejected by the old one", r, u, 0, func(r *Report) int64 { return r.RejectedByOld }, true},
		{"rejected by the new one", a, none, 10, func(r *Report) int64 { return r.RejectedByNew }, true},
		{"before the snapshot", u, none, 11, func(r *Report) int64 { return r.Before }, false},
		{"rejected before the snapshot", r, none, 11, func(r *Report) int64 { return r.Before }, false},
		{"no output", none, b, 0, func(r *Report) int64 { return r.NoOutput }, false},
		{"several outputs", x, b, 0, func(r *Report) int64 { return r.Unclear }, false},
		{"several outputs of what is rejected", x, none, 0, func(r *Report) int64 { return r.Unclear }, false},
	} {
		got := story(t, c.known, []verdict{c.older}, []verdict{c.newer}).report
		if c.count(&got) != 1 || got.Documents != 1 || got.Neither != 0 || (len(got.Examples) == 1) != c.differs {
			t.Errorf("%s: the report is %+v; want one document, counted where it belongs, and as an example: %t", c.name, got, c.differs)
		}
	}
	if got := story(t, 0, []verdict{none}, []verdict{none}).report; got.Neither != 1 || got.Documents != 0 {
		t.Errorf("a marker of the source: %+v", got)
	}
}

// Which of two copies was first is no difference, where what both groups said of the two is known.
func TestJoinOfCopiesInAnotherOrder(t *testing.T) {
	u := verdict{kind: unique}
	turned := story(t, 0, []verdict{u, copyOf(10, 9000)}, []verdict{copyOf(11, 9000), u}).report
	if turned.OtherFirst != 2 || len(turned.Examples) != 0 || turned.OldAlone != (Shares{}) ||
		turned.NewAlone != (Shares{}) {
		t.Errorf("two copies in another order: %+v", turned)
	}
	three := story(t, 0, []verdict{u, copyOf(10, 9000), copyOf(10, 9000)},
		[]verdict{copyOf(11, 9000), u, copyOf(11, 9000)}).report
	if three.OtherFirst != 3 || three.Documents != 3 {
		t.Errorf("three copies in another order: %+v", three)
	}
	apart := story(t, 0, []verdict{u, copyOf(10, 9000), u}, []verdict{copyOf(12, 9000), u, u}).report
	if apart.OtherFirst != 0 || apart.OnlyOld != 1 || apart.OnlyNew != 1 || apart.BothUnique != 1 {
		t.Errorf("copies of others: %+v", apart)
	}
}

// Steps include their lower bound. Similarities are counted for each group, and for what only one of them found.
func TestSimilarities(t *testing.T) {
	u := verdict{kind: unique}
	got := story(t, 0, []verdict{copyOf(1, 8500), copyOf(1, 10_000), u},
		[]verdict{u, copyOf(1, 9499), copyOf(1, 0)}).report
	want := [4]Shares{{17: 1, 19: 1}, {0: 1, 18: 1}, {17: 1}, {0: 1}}
	if is := [4]Shares{got.Old.Shares, got.New.Shares, got.OldAlone, got.NewAlone}; is != want {
		t.Errorf("the similarities of old, new, old alone and new alone are %v, want %v", is, want)
	}
}

// Examples are the newest documents, of each kind in turn.
func TestExamples(t *testing.T) {
	u, a := verdict{kind: unique}, copyOf(3, 8123)
	c := story(t, 0, []verdict{u, u, u, a}, []verdict{a, a, a, u})
	var sources []string
	for _, e := range c.report.Examples {
		sources = append(sources, strings.TrimPrefix(e.Source, "news/0/"))
	}
	if strings.Join(sources, " ") != "13 12 11 10" {
		t.Errorf("the examples are of the offsets %v, want 13 12 11 10", sources)
	}
	text, err := json.Marshal(c.report.Examples[0])
	if want := `{"source":"news/0/13","old":{"verdict":"duplicate","match":"news/0/3","similarity":0.8123},` +
		`"new":{"verdict":"unique"}}`; err != nil || string(text) != want {
		t.Errorf("%s, %v; want %s", text, err, want)
	}
}

// The last output in a topic holds. If outputs in two topics differ, nobody knows.
func TestTold(t *testing.T) {
	says := func(verdict, match, similarity string) *topic.Record {
		return &topic.Record{Headers: []topic.Header{
			{Key: sink.HeaderVerdict, Value: []byte(verdict)},
			{Key: sink.HeaderMatch, Value: []byte(match)},
			{Key: sink.HeaderSimilarity, Value: []byte(similarity)},
		}}
	}
	c, first, second := &comparison{}, &output{number: 0}, &output{number: 1}
	var v verdict
	c.told(first, &v, says("nonsense", "", ""))
	if v != (verdict{}) {
		t.Errorf("from nonsense came %+v", v)
	}
	c.told(first, &v, says("unique", "", ""))
	c.told(first, &v, says("duplicate", "a.b/12/345", "0.8123"))
	if want := (verdict{match: document{345, 12, 1}, similarity: 8123, kind: duplicate}); v != want {
		t.Errorf("%+v, want %+v", v, want)
	}
	c.told(second, &v, says("duplicate", "a.b/12/346", "1.0000"))
	if v.kind != duplicate || v.match.offset != 346 || v.similarity != whole {
		t.Errorf("another original: %+v", v)
	}
	c.told(first, &v, says("unique", "", ""))
	c.told(first, &v, says("unique", "", ""))
	if v.kind != unclear {
		t.Errorf("two topics differ: %+v", v)
	}
}

// The spans end where both groups have committed, begin where the topic and the old group do, and share the number of
// documents.
func TestParts(t *testing.T) {
	at := func(partition int32, begin, old, later int64) protocol.Standpoint {
		return protocol.Standpoint{
			Topic: "news", Source: entry.Source{Partition: partition}, Begin: begin, Old: old, New: later, End: 10_000,
		}
	}
	s := &succession.Standing{Places: []protocol.Standpoint{
		at(0, 0, 1000, 900), at(1, 5, 700, 800), at(2, 95, 105, 100), at(3, 0, -1, 0), at(4, 50, 50, 50), at(5, 0, 400, 400),
	}}
	s.New.Duty.Kind = protocol.Shadows
	s.Old.Duty.From = []protocol.Boundary{{Source: entry.Source{Partition: 5}, Offset: 395}}
	spans := func() (all []Span) {
		for _, p := range parts(s, 310) {
			all = append(all, p.Span)
		}
		return all
	}
	want := []Span{{"news", 0, 750, 900}, {"news", 1, 550, 700}, {"news", 2, 95, 100}, {"news", 5, 395, 400}}
	if got := spans(); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	// it forwards from there on
	s.New.Duty = protocol.Duty{From: []protocol.Boundary{{Source: entry.Source{Partition: 0}, Offset: 20}}}
	if got, want := spans(), []Span{{"news", 0, 0, 20}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if p := parts(s, math.MaxInt64)[0]; p.known != math.MaxInt64 || len(p.older.of) != 20 || len(p.newer.of) != 20 {
		t.Errorf("without a bound the first part is %+v; want 20 places on each side, and all known", p)
	}
}
