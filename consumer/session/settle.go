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
func (t *takeovers) makeWay(ctx context.Context, given map[string][]int32) {
	if t.err = nil; t.phases.Ended() {
		t.phases = phase.Begin()
	} else { // the first time it begins with the opening of the session
		t.phases.End("join")
	}
	if len(given) == 0 {
		if t.reaches.none() {
			t.standing.idles(time.Now())
		}
		return
	}
	within(ctx, cluster.FencingWithin, t.Cluster.FenceDead)
	t.phases.End("fence")
	within(ctx, settlingWithin, func(ctx context.Context) { t.settle(ctx, given) })
	t.phases.End("settle")
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
func (t *takeovers) settle(ctx context.Context, given map[string][]int32) {
	of, err := t.bind(ctx, given)
	if err == nil {
		_, err = t.Cluster.StableOffsets(ctx, of, t.Ahead)
	}
	if err != nil && !broker.MayPass(err) { // else waiting goes on there
		t.err = err
	}
}
