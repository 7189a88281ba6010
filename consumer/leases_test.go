package consumer

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/unecho/unecho/index/snapshot"
)

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
	w.ended(again)
	if later := w.snapshots(); later[0] <= newest[0] {
		t.Errorf("the newest snapshot was at %d and is at %d", newest[0], later[0])
	}
	w.audited()
	var stop *StopError
	if err := w.launch(bare).wait(); !errors.As(err, &stop) || stop.Remedy == "" {
		t.Errorf("without a name it ends with %v", err)
	}
}

// names grants leases within the test. They can be cut, as the connections to a database are.
type names struct {
	mu     sync.Mutex
	held   map[string]*cutLease
	closed bool // nobody gets a lease that is held or was cut
	asked  int  // while it was closed
}

type cutLease struct {
	of   *names
	name string
	lost chan struct{}
}

func (n *names) Lease(_ context.Context, name string) (snapshot.Lease, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, held := n.held[name]; held || n.closed {
		if n.closed {
			n.asked++
		}
		return nil, &snapshot.LeasedError{Name: name}
	}
	n.held[name] = &cutLease{n, name, make(chan struct{})}
	return n.held[name], nil
}

func (l *cutLease) Lost() <-chan struct{} { return l.lost }

func (l *cutLease) Release() error {
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	if l.of.held[l.name] == l {
		delete(l.of.held, l.name)
	}
	return nil
}

// cut has the holder of a name lose it.
func (n *names) cut(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.held[name].lost)
	delete(n.held, name)
}

func (n *names) close(closed bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed, n.asked = closed, 0
}

func (n *names) refused() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked
}

// A lease is lost, and the store goes on holding it for the connection that broke. The member works on, and takes it
// again when it can.
func TestLostLeaseIsTakenAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	said := w.logged()
	leases := &names{held: map[string]*cutLease{}}
	w.start(sessions(1), func(s *Setup) { s.Leases = leases })
	w.joined(1)
	leases.close(true)
	leases.cut("member-unecho-0")
	w.becomes("the member asks twice for its lease", func() bool { return leases.refused() > 1 })
	w.produce(20, 1)
	w.settled()
	leases.close(false)
	w.becomes("the lease is taken again", func() bool { return said.has("is taken again") })
	w.audited()
}

// The store gave a member's name to a process that starts, as it may when the lease was lost for a moment. Both work on,
// under two names.
func TestNameTakenByAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	w.produce(200, 1)
	leased := func(s *Setup) { s.Leases = &names{held: map[string]*cutLease{}} }
	first := w.start(sessions(2), leased)
	w.settled()
	second := w.start(sessions(2), leased)
	w.becomes("the first has another name than the second", func() bool {
		a, b := first.Stats().Member, second.Stats().Member
		return a == "unecho-1" && b == "unecho-0"
	})
	w.joined(4)
	w.produce(200, 2)
	w.settled()
	w.audited()
}
