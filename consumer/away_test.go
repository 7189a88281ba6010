package consumer

import (
	"context"
	"fmt"
	"testing"

	"github.com/unecho/unecho/index/snapshot"
)

// restarting is a store that is away for a while whenever something is read for the first time.
type restarting struct {
	snapshot.Store
	times int // how often each of them is asked in vain
	asked map[string]int
}

func (r *restarting) away(what string) error {
	if r.asked[what]++; r.asked[what] <= r.times {
		return fmt.Errorf("read %s: %w", what, snapshot.ErrAway)
	}
	return nil
}

func (r *restarting) Manifests(ctx context.Context) ([]snapshot.Info, error) {
	if err := r.away("list"); err != nil {
		return nil, err
	}
	return r.Store.Manifests(ctx)
}

func (r *restarting) Manifest(ctx context.Context, at snapshot.Position) (snapshot.Manifest, error) {
	if err := r.away("manifest"); err != nil {
		return snapshot.Manifest{}, err
	}
	return r.Store.Manifest(ctx, at)
}

func (r *restarting) Segment(ctx context.Context, name string) ([]byte, error) {
	if err := r.away("segment"); err != nil {
		return nil, err
	}
	return r.Store.Segment(ctx, name)
}

// A store that is away for a while is asked again. The newest snapshot is restored, and the log says what was waited
// for.
func TestRestoreWaitsForTheStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	said := w.logged()
	m, _ := w.trimmed()
	replica, err := w.restore(m, &restarting{m.setup.Store, 2, map[string]int{}})
	if err != nil {
		t.Fatal(err)
	}
	if newest := w.snapshots()[0]; replica.Next() != newest {
		t.Errorf("restored from %d, the newest snapshot is at %d", replica.Next(), newest)
	}
	if !said.has("the snapshot store is away: asking again") || !said.has("the snapshot store answers again") {
		t.Error("nobody said what is waited for")
	}
}
