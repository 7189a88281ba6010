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
	return p.setup.waits(ctx, func() error {
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
	others, err := p.others(ctx)
	for _, m := range others {
		if m.Process == p.name.member {
			own, err := p.known(ctx)
			if err != nil {
				return err
			}
			if own {
				continue // it is this member as it was before
			}
		}
		return balance.Second(p.setup.Params.Group, &m)
	}
	return err
}

// others lists the members of the group, this one of before among them, where they or this one are to stay alone.
func (p *process) others(ctx context.Context) ([]cluster.Member, error) {
	in, err := cluster.Members(ctx, p.cluster.Admin(), p.setup.Params.Group)
	return slices.DeleteFunc(in.Members, func(m cluster.Member) bool {
		return m.Guest || !p.staysAlone() && !balance.IncarnationIn(m.Told).StaysAlone()
	}), err
}

// known says whether the store has a snapshot of the group's journal.
func (r *reached) known(ctx context.Context) (bool, error) {
	infos, err := r.setup.Store.Manifests(ctx)
	if err != nil {
		return false, fmt.Errorf("list snapshots: %w", err)
	}
	return slices.ContainsFunc(infos, func(i snapshot.Info) bool { return i.Position.JournalTopic == r.log.ID }), nil
}

// aloneOr is asked before a process trims the journal: see alone.
func (p *process) aloneOr(end context.CancelCauseFunc) func(context.Context) error {
	return func(ctx context.Context) error {
		if !p.staysAlone() {
			return nil
		}
		err := p.alone(ctx)
		if errors.Is(err, balance.ErrSecond) {
			end(err)
		}
		return err
	}
}

// alone says why a process that stays alone must not trim the journal: another one started at the same moment, or while
// this one was not in the group. Of two that are to stay alone the one that started later ends.
func (p *process) alone(ctx context.Context) error {
	others, err := p.others(ctx)
	for _, m := range others {
		if m.Process == p.name.member {
			continue
		}
		if by := balance.IncarnationIn(m.Told); by.StaysAlone() && !p.incarnation.YieldsTo(by) {
			return balance.Second(p.setup.Params.Group, &m)
		}
		return fmt.Errorf("member %s is in the group beside this one, which is to stay alone: %s", m.String(), balance.Together)
	}
	return err
}
