package consumer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/unecho/unecho/consumer/balance"
	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/index/snapshot"
)

// staysAlone says whether this process is to be the only member of its group.
func (r *reached) staysAlone() bool { return r.setup.Snapshot.For == snapshot.ByOne }

// refuseSecond ends a start beside another member where either of the two stays alone. Who has died is in the group until
// its session times out: that is waited for.
func (p *process) refuseSecond(ctx context.Context) error {
	patience := p.setup.Params.SessionTimeout + time.Second // Kafka needs a moment to notice
	told := false
	return p.setup.waits(ctx, p.setup.Params.StartTimeout, func() error {
		return retry.While(ctx, startPause, func() error { return p.second(ctx) }, func(err error, since time.Duration) bool {
			if !errors.Is(err, balance.ErrSecond) || since >= patience {
				return false
			}
			if !told {
				told = true
				p.setup.Logger.Warn().Err(err).Dur("at_most_ms", patience).Msg("waiting: the other member may have died")
			}
			return true
		})
	})
}

// second is an error where this process would be a second member.
func (p *process) second(ctx context.Context) error {
	others, _, err := p.others(ctx)
	if err != nil || len(others) == 0 {
		return err
	}
	return balance.Second(p.setup.Params.Group, &others[0])
}

// others lists the members of the group that this process may not be beside, because they or this one are to stay alone.
// Another process of its own name is one of them: that may work with a copy of the directory. Who was killed is one until
// its session times out.
func (p *process) others(ctx context.Context) (others []cluster.Member, stable bool, err error) {
	in, err := cluster.Members(ctx, p.cluster.Admin(), p.setup.Params.Group)
	return slices.DeleteFunc(in.Members, func(m cluster.Member) bool {
		by := balance.IncarnationIn(m.Told)
		return m.Guest || by == p.incarnation || !p.staysAlone() && !by.StaysAlone()
	}), in.Stable(), err
}

// aloneOr is asked before a process that stays alone trims the journal: see alone.
func (p *process) aloneOr(end context.CancelCauseFunc) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		alone, err := p.alone(ctx)
		if errors.Is(err, balance.ErrSecond) {
			end(err)
		}
		return alone, err
	}
}

// alone says whether a process that stays alone may trim the journal. While the group shares out partitions nobody knows.
// The error names another one: it started at the same moment, or while this one was not in the group. Of two that are to
// stay alone the one that started later ends. Of two with one name sessions decide which of them that is.
func (p *process) alone(ctx context.Context) (bool, error) {
	others, stable, err := p.others(ctx)
	if err != nil || !stable {
		return false, err
	}
	if len(others) == 0 {
		return true, nil
	}
	for _, m := range others {
		by := balance.IncarnationIn(m.Told)
		if m.Process != p.name.member && by.StaysAlone() && !p.incarnation.YieldsTo(by) {
			return false, balance.Second(p.setup.Params.Group, &m)
		}
	}
	return false, fmt.Errorf("member %s is in the group beside this one, which is to stay alone: %s", others[0], balance.Together)
}
