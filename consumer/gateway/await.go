package gateway

import (
	"context"
	"sync"
	"time"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// await waits until the documents are committed, but no longer than so long.
func (g *Gateway) await(ctx context.Context, all []sending, most time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for ctx.Err() == nil {
		if g.look(ctx, all) {
			return
		}
		rest := time.NewTimer(commitsEvery)
		select {
		case <-rest.C:
		case <-ctx.Done():
			rest.Stop()
		}
	}
}

// look answers those documents that are committed now, and says whether all are. It asks for the commits first: what is
// committed then, in the epoch in which the replica has the verdict after that, was forwarded by that verdict.
func (g *Gateway) look(ctx context.Context, all []sending) (done bool) {
	committed, err := g.commits.since(ctx, time.Now())
	if err != nil {
		return false // Kafka does not answer: the next look asks again
	}
	if !due(all, committed) {
		return false // so that the replica is not asked for nothing, again and again
	}
	known, next, err := g.answered(all)
	if err != nil {
		return false
	}
	done, end := true, int64(0)
	for i := range all {
		s := &all[i]
		if s.done || s.Err != nil {
			continue
		}
		at := committed[entry.Name(s.Topic, s.Partition)]
		switch first := &known[i]; {
		case s.request != (entry.Request{}) && first.Request == s.request:
			s.judged(first, committed[entry.Name(first.Topic, first.Source.Partition)])
		case !at.Ours || at.Offset <= s.Offset:
		case s.refused.Unchecked != "":
			s.done, s.Verdict, s.Unchecked = true, Unchecked, s.refused.Unchecked
		case s.refused.Rejection != nil:
			s.done, s.Verdict, s.Rejection = true, sink.Rejected, s.refused.Rejection
		case at.Owed > 0 && s.Offset >= at.Offset-at.Owed:
			s.done, s.Verdict, s.Unchecked = true, Unchecked, sink.InOutage
		default:
			end = g.resolve(ctx, s, next, end)
		}
		done = done && s.done
	}
	return done
}

// due says that the group has committed beyond a document that waits, or that none waits.
func due(all []sending, committed Commits) bool {
	waits := false
	for i := range all {
		s := &all[i]
		if s.done || s.Err != nil {
			continue
		}
		if at := committed[entry.Name(s.Topic, s.Partition)]; at.Offset > s.Offset {
			return true
		}
		waits = true
	}
	return !waits
}

// judged takes the verdict about a request, if its document is committed.
func (s *sending) judged(first *index.Answered, at protocol.Committed) {
	v := &first.Verdict
	if !first.Committed && first.Gone { // whether it was forwarded, nobody here can tell
		s.done, s.Verdict = true, Unknown
		return
	}
	if !first.Committed && (!at.Ours || at.Epoch != first.Epoch || at.Offset <= v.Offset) {
		return
	}
	s.Repeated = s.Repeated || first.Source.Partition != s.Partition || v.Offset != s.Offset || first.Topic != s.Topic
	s.Topic, s.Partition, s.Offset = first.Topic, first.Source.Partition, v.Offset
	s.done, s.Verdict, s.Reemitted = true, verdictOf(v), v.Reemitted
	if v.Matched() {
		match := v.Match
		s.Match = &match
	}
}

// resolve ends the wait for a document that the group is done with and of which the replica knows no verdict, once the
// replica has read all that was in the journal then. Its record in an output says what became of it.
//
// It asks for the journal's end if that is not known, and returns it for the other documents: 0 is none.
func (g *Gateway) resolve(ctx context.Context, s *sending, next, end int64) int64 {
	if s.end > 0 {
		if next >= s.end {
			s.done, s.Verdict = true, Unknown
		}
		return end
	}
	if end == 0 {
		if now, err := g.Group.JournalEnd(ctx); err == nil {
			end = max(1, now)
		}
	}
	s.end = end
	return end
}

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
