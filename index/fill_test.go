package index_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// filled makes a replica that is filled with texts, and judges one partition from offset 0 on.
func filled(t *testing.T, p index.Params, texts [][]string) *stand {
	t.Helper()
	s := newStand(t, p)
	s.replica, s.at = newReplica(t, p), index.Stamp{LogAppendTime: 1000}
	apply := func(rec index.Record) {
		if !s.replica.Apply(s.at, rec).Applied {
			t.Fatalf("%T at %d changes nothing", rec, s.at.Offset)
		}
		s.at.Offset++
	}
	apply(&index.Settings{Text: settings})
	apply(&index.Fill{Header: s.record.Header, Number: 1, Plan: []byte("a plan")})
	for n, text := range texts {
		from := int64(n)
		e := entry.Entry{Offset: from}
		s.signer.Reset()
		s.signer.Sign(&e, []byte(strings.Join(text, " ")))
		apply(&index.Fill{
			Header: s.record.Header, Number: 1, First: uint64(n), Entries: []index.FedEntry{{At: 1, Entry: e}},
			Parts: []index.FillPart{{Source: entry.Source{Topic: [16]byte{2}}, Name: "old", From: from, Through: from + 1}},
		})
	}
	apply(&index.Reposition{Header: s.record.Header, Source: s.record.Source, Name: "news", Epoch: 1})
	return s
}

// Documents of a template that are filled make its keys popular, as judged ones do, and their copies are found.
func TestFilledByATemplate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all := templated(r, 500, 200, 170)
	s, judging := filled(t, index.DefaultParams(), all), newStand(t, index.DefaultParams())
	for _, text := range all {
		judging.judged(text)
	}
	if got, want := s.replica.PopularKeys(), judging.replica.PopularKeys(); got != want || want == 0 {
		t.Errorf("%d keys are popular, and %d where the same was judged", got, want)
	}
	found := 0
	for i := 0; i < len(all); i += 10 {
		text := append([]string{}, all[i]...)
		for k := range 5 {
			text[170+6*k] = words(r, 1)[0]
		}
		if s.judged(text).Match.Offset == int64(i) {
			found++
		}
	}
	if found < 49 {
		t.Errorf("%d of 50 copies found, want 49 at least", found)
	}
}

// Who asks for a document learns whether it was there before the group judged anything.
func TestFilledIsKnown(t *testing.T) {
	s := filled(t, index.DefaultParams(), [][]string{{"one", "two"}, {"three", "four"}})
	own := s.judged([]string{"five", "six"})
	k := sought(s.replica, "old", 0, 1, 1)
	if k == nil || !k.Filled || k.Older != 1 || k.Newer != 1 {
		t.Errorf("the second that was filled: %+v", k)
	}
	if k = sought(s.replica, "news", 0, own.Offset, 1); k == nil || k.Filled || k.Older != 2 || k.Newer != 0 {
		t.Errorf("one that was judged: %+v", k)
	}
	n := 0
	s.replica.Each(func(m *index.Remembered) {
		if m.Filled {
			n++
		}
	})
	if n != 2 {
		t.Errorf("%d of 3 were filled, want 2", n)
	}
}
