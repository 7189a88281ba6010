package member

import (
	"context"
	"errors"
	"testing"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
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
