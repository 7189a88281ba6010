package index_test

import (
	"testing"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// The verdicts of a feed do not depend on when it becomes known that an output refused a document of it: a copy that
// is judged behind the refusal has the verdict that it has before it. The document itself goes to rejected.
func TestForgetOfAFedDocument(t *testing.T) {
	fed := []entry.Position{{Offset: 2, Entry: 0}, {Offset: 2, Entry: 2}} // a unique document, and a copy that came through
	var want []index.Verdict
	for _, refusedAfter := range []int{-1, 1, 2, 3} { // the record behind which both refusals are known; -1: never
		p := index.DefaultParams()
		p.Duplicates.Remember.Clock, p.Duplicates.Remember.ReemitEvery = "event", 10*time.Second
		s := newStand(t, p)
		h, source, apply := s.record.Header, s.record.Source, s.next
		document := func(offset int64) index.FedEntry {
			e := index.FedEntry{At: 1000 + 9_000*offset, Entry: entry.Entry{Offset: offset}}
			s.signer.Sign(&e.Entry, []byte("a text of which there are several copies in this feed, all of them equal"))
			e.Entry = e.Clone()
			return e
		}
		var got []index.Verdict
		for i := range 3 {
			f := &index.Feed{Header: h, First: uint64(3 * i), Parts: []index.FeedPart{{Source: source, Epoch: 1, From: int64(3 * i), Through: int64(3*i + 3)}}}
			for k := range 3 {
				f.Entries = append(f.Entries, document(int64(3*i+k)))
			}
			for _, v := range apply(f).Judged {
				v.Position, v.Match.Position = entry.Position{}, entry.Position{}
				got = append(got, v)
			}
			if i+1 != refusedAfter {
				continue
			}
			for _, target := range fed {
				apply(&index.Forget{Header: h, Target: target})
				if v, held := s.replica.Held(source, 1, int64(target.Entry)); !held || !v.Forgotten {
					t.Errorf("%+v is refused, and held as %+v", target, v)
				}
			}
		}
		if len(got) != 9 || !got[0].Unique() || got[1].Unique() || !got[2].Reemitted {
			t.Fatalf("judged %+v", got)
		}
		if want == nil {
			want = got
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("refused behind record %d, document %d is judged\n%+v, and never refused\n%+v", refusedAfter, i, got[i], want[i])
			}
		}
	}
}

// A document that a session appended, in a group that goes on live where the feed ended, dies when its output refuses
// it.
func TestForgetBehindTheFeed(t *testing.T) {
	p := index.DefaultParams()
	p.Duplicates.Remember.Clock = "event"
	s := newStand(t, p)
	h, source := s.record.Header, s.record.Source
	entries := make([]entry.Entry, 2)
	for i := range entries {
		entries[i].Offset = int64(5 + i)
		s.signer.Sign(&entries[i], []byte("a text that its output will refuse, whatever it is a copy of"))
		entries[i] = entries[i].Clone()
	}
	s.next(&index.Feed{Header: h, Parts: []index.FeedPart{{Source: source, Epoch: 1, Through: 5}}})
	s.next(&index.Run{Header: h, Source: source, Epoch: 1, Entries: entries[:1]})
	s.next(&index.Forget{Header: h, Target: entry.Position{Offset: 3}})
	effect := s.next(&index.Run{Header: h, Source: source, Epoch: 1, Entries: entries[1:]})
	if len(effect.Judged) != 1 || !effect.Judged[0].Unique() {
		t.Errorf("judged %+v: what was forgotten is matched", effect.Judged)
	}
}
