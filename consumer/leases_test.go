package consumer

import (
	"errors"
	"testing"

	"github.com/unecho/unecho/index/snapshot"
)

// leaseless is a store without leases.
type leaseless struct{ snapshot.Store }

// A store needs no leases. Members that are named by their configuration share it, each writes its snapshots, and a
// restart begins with the newest. A member without a configured name says that it cannot find one.
func TestStoreWithoutLeases(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	bare := func(s *Setup) { s.Store = leaseless{w.store()} }
	one, two := w.start(named("a"), sessions(1), rarely, bare), w.start(named("b"), sessions(1), rarely, bare)
	w.joined(2)
	w.produce(100, 1)
	w.settled()
	if err := errors.Join(one.stop(), two.stop()); err != nil {
		t.Fatal(err)
	}
	newest := w.snapshots()
	if len(newest) == 0 {
		t.Fatal("nobody wrote a snapshot")
	}
	again := w.start(named("a"), sessions(1), rarely, bare)
	w.produce(100, 2)
	w.settled()
	if err := again.stop(); err != nil {
		t.Fatal(err)
	}
	if later := w.snapshots(); later[0] <= newest[0] {
		t.Errorf("the newest snapshot was at %d and is at %d", newest[0], later[0])
	}
	w.audited()
	var stop *StopError
	if err := w.launch(bare).wait(); !errors.As(err, &stop) || stop.Remedy == "" {
		t.Errorf("without a name it ends with %v", err)
	}
}
