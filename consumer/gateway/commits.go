package gateway

import (
	"context"
	"sync"
	"time"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index/entry"
)

// Commits are what the group has committed.
type Commits map[entry.PartitionName]protocol.Committed

// Bounds of asking for commits. Many wait for the answer of one question.
const (
	commitsEvery   = 10 * time.Millisecond
	commitsTimeout = 3 * time.Second
)

// commits asks what is committed: one question at a time, for all that wait.
type commits struct {
	ask func(context.Context) (Commits, error)

	mu   sync.Mutex
	last *asked // nil: nobody has asked yet
}

// asked is a question, and its answer when done is closed.
type asked struct {
	began time.Time
	done  chan struct{}
	got   Commits
	err   error
}

// since returns what was committed at a time or later.
func (c *commits) since(ctx context.Context, at time.Time) (Commits, error) {
	for {
		q, mine := c.join(at)
		if mine {
			c.answer(ctx, q)
		}
		select {
		case <-q.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if !q.began.Before(at) {
			return q.got, q.err
		}
	}
}

// join returns the question at hand, or the one that was asked since. Where there is none, the caller is to ask it.
func (c *commits) join(at time.Time) (q *asked, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if q := c.last; q != nil {
		select {
		case <-q.done:
			if !q.began.Before(at) {
				return q, false
			}
		default:
			return q, false
		}
	}
	c.last = &asked{began: time.Now(), done: make(chan struct{})}
	return c.last, true
}

// answer asks. It goes on for the others when the caller gives up.
func (c *commits) answer(ctx context.Context, q *asked) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitsTimeout)
	defer cancel()
	q.got, q.err = c.ask(ctx)
	close(q.done)
}
