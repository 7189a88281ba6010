package member

import (
	"context"
	"errors"
	"path"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/files/filestest"
	"github.com/unecho/unecho/index/window"
)

func TestLookupsAreBounded(t *testing.T) {
	replica, err := index.NewReplica(index.DefaultParams(), 1)
	if err != nil {
		t.Fatal(err)
	}
	f := newFollower(&Setup{Name: "m", Counters: &Counters{}}, replica, journal.Begin{LeaderEpoch: -1}, nil) // nobody answers
	gone, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("the client went away")
	cancel(cause)
	for i := range maxLookups {
		if _, err := f.Lookup(gone, &entry.Entry{}, 1); !errors.Is(err, cause) {
			t.Fatalf("lookup %d: %v", i, err)
		}
	}
	if _, err := f.Lookup(gone, &entry.Entry{}, 1); !errors.Is(err, ErrBusy) {
		t.Errorf("one too many: %v", err)
	}
	for range maxLookups { // who is gone gets no answer, and none is worked out
		(<-f.asks)()
	}
	close(f.ended)
	for range 10 {
		if _, err := f.Lookup(context.Background(), &entry.Entry{}, 1); !errors.Is(err, ErrNoReplica) {
			t.Errorf("when it has ended: %v", err)
		}
	}
}

// TestLookupWhileBlocksAreMerged: a lookup that is to read a block which is merged, and so removed, just then finds the document
// by the larger one.
func TestLookupWhileBlocksAreMerged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newShelved(t)
		of := b.replica.Files()
		of.BlocksOf(window.Sizes{Run: 8, Merge: 2, Parts: 100, Tail: 8})
		b.judges(32)
		stop := b.keeps()
		time.Sleep(time.Second)
		if stop(); of.BlockOf("1-7.block") == nil || of.BlockOf("8-15.block") == nil {
			t.Fatalf("there are blocks %v", of.Blocks())
		}
		of.BlocksOf(window.Sizes{Run: 8, Merge: 2, Parts: 1, Tail: 8})
		var merged atomic.Bool
		b.disk.Before = func(c filestest.Call) error {
			if c.Op == "open" && path.Base(c.Path) == "1-7.block" && !merged.Swap(true) {
				return errors.Join(b.old.makeBlock(t.Context(), b.old.due(time.Time{})), b.old.tidy())
			}
			return nil
		}
		q, err := b.old.inquire(t.Context(), &b.document(5).Entries[0])
		if b.must(err); !merged.Load() || of.BlockOf("1-15.block") == nil {
			t.Errorf("blocks are merged meanwhile: %v, into %v", merged.Load(), of.Blocks())
		}
		found, err := b.compare(q, 1)
		if b.must(err); len(found.Hits) != 1 {
			t.Errorf("%d documents are found", len(found.Hits))
		}
	})
}
