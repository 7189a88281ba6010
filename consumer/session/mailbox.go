package session

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/stop"
)

// mailbox brings the loop of a session what others find out, in goroutines of their own: the client's callbacks, that
// partitions come and go, and they and whoever watches the journal, that a person is needed.
type mailbox struct {
	mu    sync.Mutex
	mail  []letter
	until context.Context // done when partitions are taken away
	lose  context.CancelFunc

	final   atomic.Pointer[stop.Error]         // ends the process
	abandon atomic.Pointer[context.CancelFunc] // ends every request of the client
}

// letter says what came or went.
type letter struct {
	given []*assignment
	unled []protocol.PartitionName // given as well, and not read: they have no leader
	lost  []protocol.PartitionName
}

// opens begins with a client that has no mail yet. Its every request is ended by abandon. The error is that of stop,
// which may come between two clients.
func (m *mailbox) opens(abandon context.CancelFunc) error {
	m.mu.Lock()
	m.mail = nil
	m.mu.Unlock()
	m.resume()
	m.abandon.Store(&abandon)
	if final := m.final.Load(); final != nil {
		return final
	}
	return nil
}

func (m *mailbox) post(l letter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mail = append(m.mail, l)
	if len(l.lost) > 0 {
		m.lose()
	}
}

// receive returns what was posted. What needs the partitions goes on being cut short until resume.
func (m *mailbox) receive() (mail []letter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	mail, m.mail = m.mail, nil
	return mail
}

// hasLost says that a partition was taken away, and the loop does not know yet.
func (m *mailbox) hasLost(name protocol.PartitionName) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.mail, func(l letter) bool { return slices.Contains(l.lost, name) })
}

// resume notes that the session goes on with the partitions that it has left.
func (m *mailbox) resume() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.until, m.lose = context.WithCancel(context.Background())
}

// untilLost returns a context that is done when partitions are taken away.
func (m *mailbox) untilLost() context.Context {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.until
}

// revoked says that partitions were taken away since the last resume.
func (m *mailbox) revoked() bool { return m.untilLost().Err() != nil }

// whileHeld runs something under a context that ends when partitions are taken away. That it was cut short is no
// error: the next step sees that they were, before anything else is done.
func (m *mailbox) whileHeld(ctx context.Context, do func(context.Context) error) error {
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

// stop remembers an error that ends the process, and wakes the loop. The client by itself would only try again. An
// error that passes by itself, like the end of a context, must not come here.
func (m *mailbox) stop(because *stop.Error) error {
	m.final.CompareAndSwap(nil, because)
	if abandon := m.abandon.Load(); abandon != nil {
		(*abandon)()
	}
	return because
}
