package index_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/naive"
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
	signer, err := index.NewSigner(p)
	if err != nil {
		t.Fatal(err)
	}
	s := &pair{t: t, fast: newReplica(t, p), slow: naive.New(p, settings, index.Fingerprint(settings)), signer: signer}
	s.at.LogAppendTime = storyStart
	s.apply(&index.Settings{Text: settings, Wall: storyStart})
	s.apply(&index.Reposition{Header: s.header(), Source: source(0), Name: "news", Epoch: 1})
	return s
}

func (s *pair) header() index.Header {
	return index.Header{Fingerprint: index.Fingerprint(settings), Wall: s.at.LogAppendTime}
}

func (s *pair) apply(rec index.Record) []index.Verdict {
	s.t.Helper()
	want, got := s.slow.Apply(s.at, rec), s.fast.Apply(s.at, rec).Judged
	for i := range want {
		if got[i] != want[i] {
			s.t.Fatalf("%T at %d: got\n%+v\nthe twin says\n%+v", rec, s.at.Offset, got[i], want[i])
		}
	}
	s.at.Offset++
	return want
}

// judge judges documents from to to of their kinds.
func (s *pair) judge(from, to int) (copies int) {
	s.t.Helper()
	run := &index.Run{Header: s.header(), Source: source(0), Epoch: 1, Base: s.offset}
	for kind := from; kind < to; kind++ {
		e := entry.Entry{Offset: s.offset, Time: s.at.LogAppendTime}
		s.signer.Sign(&e, fmt.Appendf(nil, "document %d stands for itself alone, and %d more of its kind", kind, kind))
		run.Entries = append(run.Entries, e.Clone())
		s.offset++
	}
	for _, v := range s.apply(run) {
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
		p.Window = index.WindowParams{Clock: "arrival", Refresh: "last", Tolerance: time.Minute}
		return p
	}
	t.Run("count", func(t *testing.T) {
		p := params()
		p.Window.Count = n
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
		p.Window.Age = 10 * time.Second
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

// Two replicas that differ only in whether a copy came through differ in their hashes.
func TestHashTellsWhatCameThrough(t *testing.T) {
	hash := func(every time.Duration) (hashes [2]uint64) {
		p := index.DefaultParams()
		p.Window.ReemitEvery = every
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
