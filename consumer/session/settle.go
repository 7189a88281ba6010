package session

import (
	"context"
	"time"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/phase"
)

// makeWay runs when the group gives partitions to this session, before the client asks for their offsets. It ends
// transactions that dead members left open, and waits for the commits of living ones. The client would ask once a
// second only, and say nothing. Both waits are to save time. They are bounded, so that a broker that is away holds up
// neither partitions of others nor the next rebalance. The steps of the assignment wait for whatever is open
// afterwards.
func (s *Session) makeWay(ctx context.Context, given map[string][]int32) {
	took := s.beginAssignment()
	if len(given) == 0 {
		s.spared()
		return
	}
	within(ctx, cluster.FencingWithin, s.Cluster.FenceDead)
	took.End("fence")
	within(ctx, settlingWithin, func(ctx context.Context) { s.settle(ctx, given) })
	took.End("settle")
}

// spared notes that the group gave nothing, and nothing before.
func (s *Session) spared() {
	s.mu.Lock()
	nothing := len(s.assigned)+len(s.unled) == 0
	s.mu.Unlock()
	if nothing {
		s.standing.idles(time.Now())
	}
}

// settlingWithin bounds how long partitions wait for the living. It is longer than StablePatience, so that
// StableOffsets says what it waits for.
const settlingWithin = cluster.StablePatience + 500*time.Millisecond

func within(ctx context.Context, bound time.Duration, do func(context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	do(ctx)
}

// settle waits for transactions that are open on the offsets. An error that does not pass is kept for assign, which
// would meet it next.
func (s *Session) settle(ctx context.Context, given map[string][]int32) {
	of, err := s.bind(ctx, given)
	if err == nil {
		_, err = s.Cluster.StableOffsets(ctx, of, s.Ahead)
	}
	if err != nil && broker.MayPass(err) {
		err = nil // waiting goes on there
	}
	s.mu.Lock()
	s.unsettled = err
	s.mu.Unlock()
}

// beginAssignment notes that the group has given partitions, and returns the phases of the way to them. The first
// time they begin with the opening of the session.
func (s *Session) beginAssignment() *phase.Phases {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unsettled = nil
	if s.took.Ended() {
		s.took = phase.Begin()
	} else {
		s.took.End("join")
	}
	return s.took
}
