package mail

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/stop"
)

// Box is what one session is told. The loop reads it.
type Box struct {
	mu    sync.Mutex
	mail  []Letter
	until context.Context // done when partitions are taken away
	lose  context.CancelFunc

	final   atomic.Pointer[stop.Error]         // ends the process
	abandon atomic.Pointer[context.CancelFunc] // ends every request of the client
}

// Letter says what came or went.
type Letter struct {
	Given []*protocol.Assignment
	Unled []protocol.PartitionName // given as well, and not read: they have no leader
	Lost  []protocol.PartitionName
}

// Open begins with a client that has no mail yet. Its every request is ended by abandon. The error is that of Stop,
// which may come between two clients.
func (m *Box) Open(abandon context.CancelFunc) error {
	m.mu.Lock()
	m.mail = nil
	m.mu.Unlock()
	m.Resume()
	m.abandon.Store(&abandon)
	if final := m.final.Load(); final != nil {
		return final
	}
	return nil
}

// Post tells the loop. What needs partitions that were taken away is cut short.
func (m *Box) Post(l Letter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mail = append(m.mail, l)
	if len(l.Lost) > 0 {
		m.lose()
	}
}

// Receive returns what was posted. What needs the partitions goes on being cut short until Resume.
func (m *Box) Receive() (mail []Letter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	mail, m.mail = m.mail, nil
	return mail
}

// HasLost says that a partition was taken away, and the loop does not know yet.
func (m *Box) HasLost(name protocol.PartitionName) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.mail, func(l Letter) bool { return slices.Contains(l.Lost, name) })
}

// Resume notes that the session goes on with the partitions that it has left.
func (m *Box) Resume() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.until, m.lose = context.WithCancel(context.Background())
}

// untilLost returns a context that is done when partitions are taken away.
func (m *Box) untilLost() context.Context {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.until
}

// Revoked says that partitions were taken away since the last Resume.
func (m *Box) Revoked() bool { return m.untilLost().Err() != nil }

// WhileHeld runs something under a context that ends when partitions are taken away. That it was cut short is no
// error: the next step sees that they were, before anything else is done.
func (m *Box) WhileHeld(ctx context.Context, do func(context.Context) error) error {
	until := m.untilLost()
	held, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(until, cancel)()
	err := do(held)
	if errors.Is(err, context.Canceled) && ctx.Err() == nil && until.Err() != nil {
		return nil
	}
	return err
}

// Stop remembers an error that ends the process, and wakes the loop. The client by itself would only try again. An
// error that passes by itself, like the end of a context, must not come here.
func (m *Box) Stop(because *stop.Error) error {
	m.final.CompareAndSwap(nil, because)
	if abandon := m.abandon.Load(); abandon != nil {
		(*abandon)()
	}
	return because
}

// Final is the error that ends the process; nil: there is none.
func (m *Box) Final() *stop.Error { return m.final.Load() }
