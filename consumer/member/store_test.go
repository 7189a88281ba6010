package member

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/unecho/unecho/index/snapshot"
)

// away is a store that does not answer.
type away struct{ snapshot.Store }

func (away) Manifests(context.Context) ([]snapshot.Info, error) { return nil, snapshot.ErrAway }

// A store that stays away is given up after a while, and not for an older snapshot or an empty memory.
func TestStoreStaysAway(t *testing.T) {
	t.Parallel()
	p := &waitingStore{Store: away{}, bound: time.Millisecond}
	if _, err := p.Manifests(t.Context()); !errors.Is(err, snapshot.ErrAway) {
		t.Errorf("got %v", err)
	}
	p.bound = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Manifests(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("it did not end with its context: %v", err)
	}
}
