package index_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/naive"
	"github.com/unecho/unecho/index/setting"
)

// pair is a replica and its twin, which read the same journal and must agree.
type pair struct {
	t      *testing.T
	fast   *index.Replica
	slow   *naive.Twin
	signer *index.Signer
	at     index.Stamp
	offset int64
}

func newPair(t *testing.T, p index.Params) *pair {
	t.Helper()
	s := barePair(t, p)
	s.apply(&index.Settings{Text: settings, Wall: storyStart})
	s.apply(&index.Reposition{Header: s.header(), Source: source(0), Name: "news", Epoch: 1})
	return s
}

// barePair has read nothing.
func barePair(t *testing.T, p index.Params) *pair {
	t.Helper()
	signer, err := index.NewSigner(p)
	if err != nil {
		t.Fatal(err)
	}
	s := &pair{t: t, fast: newReplica(t, p), slow: naive.New(p, settings, index.Fingerprint(settings)), signer: signer}
	s.at.LogAppendTime = storyStart
	return s
}

func (s *pair) header() index.Header {
	return index.Header{Fingerprint: index.Fingerprint(settings), Wall: s.at.LogAppendTime}
}

func (s *pair) apply(rec index.Record) []index.Verdict {
	s.t.Helper()
	want, got := s.slow.Apply(s.at, rec), s.fast.Apply(s.at, rec).Judged
	if !slices.Equal(got, want) {
		s.t.Fatalf("%T at %d: got\n%+v\nthe twin says\n%+v", rec, s.at.Offset, got, want)
	}
	s.at.Offset++
	return want
}

// document is the next document, of a kind.
func (s *pair) document(kind int) entry.Entry {
	e := entry.Entry{Offset: s.offset, Time: s.at.LogAppendTime, ID: fmt.Append(nil, "id-", s.offset)}
	s.signer.Sign(&e, fmt.Appendf(nil, "document %d stands for itself alone, and %d more of its kind", kind, kind))
	s.offset++
	return e.Clone()
}

func (s *pair) run(entries ...entry.Entry) []index.Verdict {
	s.t.Helper()
	return s.apply(&index.Run{Header: s.header(), Source: source(0), Epoch: 1, Base: entries[0].Offset, Entries: entries})
}

// judge judges documents from to to of their kinds.
func (s *pair) judge(from, to int) (copies int) {
	s.t.Helper()
	var entries []entry.Entry
	for kind := from; kind < to; kind++ {
		entries = append(entries, s.document(kind))
	}
	for _, v := range s.run(entries...) {
		if v.Matched() {
			copies++
		}
	}
	return copies
}

func (s *pair) wait(d time.Duration) { s.at.LogAppendTime += d.Milliseconds() }

// More repeated documents must leave than may enter again because of one document. If count drives them out, some leave
// although they were repeated. If age does, they wait where they are and can be found.
func TestReentriesAreBounded(t *testing.T) {
	const n = 3 * index.MostReentries
	params := func() index.Params {
		p := index.DefaultParams()
		p.Duplicates.Remember = index.RememberParams{Clock: "arrival", Refresh: "last", Tolerance: time.Minute}
		return p
	}
	t.Run("count", func(t *testing.T) {
		p := params()
		p.Duplicates.Remember.Documents = n
		s := newPair(t, p)
		s.judge(0, n)
		if copies := s.judge(0, n); copies != n {
			t.Fatalf("%d copies of %d", copies, n)
		}
		s.judge(n, n+1) // 64 enter again, and then one leaves
		if copies := s.judge(index.MostReentries, index.MostReentries+1); copies != 0 {
			t.Error("the first beyond the bound is still there")
		}
	})
	t.Run("age", func(t *testing.T) {
		p := params()
		p.Duplicates.Remember.Age = 10 * time.Second
		s := newPair(t, p)
		s.judge(0, n)
		s.wait(9 * time.Second)
		s.judge(0, n)
		s.wait(5 * time.Second)
		s.judge(n, n+1)
		if held := s.fast.Stats().Documents; held != n+1 {
			t.Errorf("%d documents are held, want %d: those that wait stay", held, n+1)
		}
		s.wait(5*time.Second - time.Millisecond)
		if copies := s.judge(n-1, n); copies != 1 {
			t.Error("one that waits, and whose last repeat is young, is not found")
		}
		s.wait(time.Millisecond)
		if copies := s.judge(0, n-1); copies != 0 {
			t.Errorf("%d were found ten seconds after their last repeat", copies)
		}
	})
}

// Bounds that are met to the millisecond and the byte, which random histories do not come across.
func TestBoundsAreMetAsByTheTwin(t *testing.T) {
	t.Run("emitted at the very moment", func(t *testing.T) {
		p := index.DefaultParams()
		p.Duplicates.Remember.ReemitEvery = 10 * time.Second
		s := newPair(t, p)
		s.judge(0, 1)
		s.wait(10*time.Second - time.Millisecond)
		before := s.run(s.document(0))[0].Reemitted
		s.wait(time.Millisecond)
		if then := s.run(s.document(0))[0].Reemitted; before || !then {
			t.Errorf("a millisecond before it comes through: %t, want false; then: %t, want true", before, then)
		}
	})
	t.Run("as many bytes as there is room for", func(t *testing.T) {
		p := index.DefaultParams()
		p.Duplicates.Bands, p.Duplicates.Rows, p.Duplicates.Slots = 8, 4, 32 // planned, they follow from the bound
		s, size := newPair(t, p), int64(0)
		for kind := range 3 {
			e := s.document(kind)
			size += index.EntryBytes(p, &e)
		}
		for less, want := range []int{1, 0} {
			p.Duplicates.Remember.Memory = setting.Bytes(size) - setting.Bytes(less)
			s = newPair(t, p)
			s.judge(0, 3)
			if copies := s.judge(0, 1); copies != want {
				t.Errorf("%d bytes less: %d copies of the oldest of three, want %d", less, copies, want)
			}
		}
	})
}

// What members should not append, and buffers that are used again, which random histories do not come across.
func TestOddRecordsAreReadAsByTheTwin(t *testing.T) {
	t.Run("a buffer that is used again", func(t *testing.T) {
		s := newPair(t, index.DefaultParams())
		e := s.document(0)
		s.run(e)
		copy(e.ID, "XXXX")
		clear(e.Evidence)
		if v := s.run(s.document(0))[0]; v.Match.ID != "id-0" {
			t.Errorf("it is a copy of %q, want id-0", v.Match.ID)
		}
	})
	t.Run("evidence that cannot be read", func(t *testing.T) {
		p := index.DefaultParams()
		p.Duplicates.Evidence = "text"
		s := newPair(t, p)
		s.judge(0, 1)
		e := s.document(0)
		e.Content++
		e.Evidence = []byte{0xff, 0xff, 0xff}
		if v := s.run(e)[0]; v.Matched() {
			t.Errorf("it is a copy: %+v", v)
		}
	})
	t.Run("the clock of other settings", func(t *testing.T) {
		p := index.DefaultParams()
		p.Duplicates.Remember.Age = 10 * time.Second
		s := newPair(t, p)
		s.judge(0, 1)
		s.wait(time.Minute)
		s.apply(&index.Mark{Header: index.Header{Fingerprint: 1, Wall: s.at.LogAppendTime}})
		s.wait(-time.Minute)
		if s.judge(0, 1) == 0 {
			t.Error("a record of other settings moves the clock")
		}
	})
	t.Run("a journal of other settings", func(t *testing.T) {
		s := barePair(t, index.DefaultParams())
		texts := [][]byte{[]byte(`{"other":"settings"}`), settings}
		for _, text := range texts {
			s.apply(&index.Settings{Text: text, Wall: storyStart})
		}
		for _, text := range texts {
			h := index.Header{Fingerprint: index.Fingerprint(text), Wall: storyStart}
			s.apply(&index.Reposition{Header: h, Source: source(0), Name: "news", Epoch: 1})
			if judged := s.apply(&index.Run{Header: h, Source: source(0), Epoch: 1, Entries: []entry.Entry{s.document(0)}}); len(judged) > 0 {
				t.Errorf("%s: it is judged: %+v", text, judged)
			}
		}
	})
}

// Two replicas that differ only in whether a copy came through differ in their hashes.
func TestHashTellsWhatCameThrough(t *testing.T) {
	hash := func(every time.Duration) (hashes [2]uint64) {
		p := index.DefaultParams()
		p.Duplicates.Remember.ReemitEvery = every
		s := newPair(t, p)
		s.judge(0, 1)
		s.wait(time.Second)
		hashes[0] = s.fast.Hash()
		s.judge(0, 1)
		hashes[1] = s.fast.Hash()
		return hashes
	}
	never, now := hash(0), hash(time.Second)
	if never[0] != now[0] || never[1] == now[1] {
		t.Errorf("hashes %x and %x", never, now)
	}
}
