package consumer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

func (w *world) signed(text string) *entry.Entry {
	w.t.Helper()
	signer, err := index.NewSigner(w.setup.Index)
	if err != nil {
		w.t.Fatal(err)
	}
	var e entry.Entry
	signer.Sign(&e, []byte(text))
	return &e
}

func TestLookup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	records := w.documents(200, 1)
	w.send(records...)
	early, err := New(w.setup)
	if err != nil {
		t.Fatal(err)
	}
	e := w.signed(string(records[7].Value) + " and a word")
	if _, err := early.Lookup(w.context(), e, 1); !errors.Is(err, member.ErrNoReplica) {
		t.Errorf("before it runs: %v", err)
	}
	m := w.start()
	w.settled()
	for range 3 { // the journal is quiet now
		found, err := m.Lookup(w.context(), e, 5)
		if err != nil || len(found.Hits) == 0 || found.Hits[0].Topic != "news" || found.Hits[0].Method != compare.Jaccard ||
			len(found.Hits[0].Bands) == 0 {
			t.Fatalf("Lookup of a near copy = %+v, error %v; want a hit of news by Jaccard, with its bands", found, err)
		}
	}
	if found, err := m.Lookup(w.context(), w.signed("nothing of the kind was ever seen here"), 5); err != nil ||
		len(found.Hits) > 0 {
		t.Errorf("Lookup of a new text = %+v, error %v; want no hits", found, err)
	}
	w.ended(m)
	if _, err := m.Lookup(w.context(), e, 1); !errors.Is(err, member.ErrNoReplica) {
		t.Errorf("after it ran: %v", err)
	}
	w.audited()
}

// Many goroutines look up while documents are judged. They are answered, and they change no verdict.
func TestLookupsBesideTheApplier(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	m := w.start()
	ctx, stop := context.WithCancel(w.context())
	e := w.signed(words(rand.New(rand.NewPCG(1, 7)), 25))
	var asking sync.WaitGroup
	answered := make(chan int, 8)
	for range cap(answered) {
		asking.Go(func() {
			n := 0
			for ctx.Err() == nil {
				_, err := m.Lookup(ctx, e, 3)
				switch {
				case err == nil:
					n++
				case !errors.Is(err, member.ErrNoReplica) && !errors.Is(err, context.Canceled):
					t.Error(err)
				}
			}
			answered <- n
		})
	}
	for seed := range uint64(5) {
		w.produce(400, seed)
	}
	w.settled()
	stop()
	asking.Wait()
	for range cap(answered) {
		if <-answered == 0 {
			t.Error("a goroutine got no answer")
		}
	}
	w.audited()
}

// Copies through the whole service: each is forwarded once, with the verdict of the twin and the promised headers.
func TestCopiesThroughTheService(t *testing.T) {
	for _, copies := range []bool{false, true} {
		t.Run(fmt.Sprintf("copies %v", copies), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 3)
			w.setup.Index.Duplicates.Remember.Refresh, w.setup.Index.Duplicates.CompareCopies = "last", copies
			w.setup.Index.Duplicates.Remember.Documents, w.setup.Index.Duplicates.Remember.ReemitEvery = 300, 5*time.Millisecond
			m := w.start()
			for seed := range uint64(4) {
				w.produce(300, 1+seed%2)
				w.settled()
			}
			w.ended(m)
			report := w.audited()
			through := 0
			for _, r := range w.outputs("news.unique", report.Unique) {
				if headerOf(r, sink.HeaderMatch) != "" {
					through++
				}
			}
			if n := m.Stats().Reemitted; through == 0 || uint64(through) != n {
				t.Errorf("%d copies came through, counted %d; %s", through, n, report.String())
			}
		})
	}
}
