package consumer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index/snapshot"
)

// name is this process's name in the group. The names of its slots begin with it. Two processes must not use the same
// name, because the later would fence the earlier.
type name struct {
	leases snapshot.Leaser
	lease  snapshot.Lease // nil if the name is configured
	member string
	logger zerolog.Logger
}

// takeName returns the configured name or, if there is none, the lowest that no other process has leased, with its
// lease.
func (s *Service) takeName(ctx context.Context) (string, snapshot.Lease, error) {
	if s.setup.Params.Member != "" {
		return s.setup.Params.Member, nil, nil
	}
	if s.setup.Leases == nil {
		return "", nil, &stop.Error{
			What:   "this member has no name, and the snapshot store has no leases",
			Remedy: "set consumer.member, on each member to another name",
		}
	}
	for n := range 1000 {
		member := fmt.Sprintf("%s-%d", s.setup.Params.Group, n)
		lease, err := s.setup.Leases.Lease(ctx, "member-"+member)
		switch {
		case err == nil:
			return member, lease, nil
		case !errors.Is(err, snapshot.ErrLeased):
			return "", nil, fmt.Errorf("lease a name: %w", err)
		}
	}
	return "", nil, &stop.Error{What: "1000 members are there already", Remedy: "set consumer.member"}
}

// keep takes the lease again when the store lost it, as a restarted database does. It tries for as long as it takes: the
// store may be away, or hold the lease of a connection that broke. If another process has taken the name, it takes the
// place of this one in the group as well, and the sessions notice.
func (n *name) keep(ctx context.Context) error {
	for n.lease != nil {
		select {
		case <-n.lease.Lost():
		case <-ctx.Done():
			return nil
		}
		err := retry.While(ctx, leasePause, func() error {
			lease, err := n.leases.Lease(ctx, "member-"+n.member)
			if err == nil {
				n.lease = lease
			}
			return err
		}, func(error, time.Duration) bool { return true })
		if err != nil {
			return nil //nolint:nilerr // stopping is no error
		}
		n.logger.Info().Str("member", n.member).Msg("the lease on the member's name was lost and is taken again")
	}
	return nil
}

// leasePause is how long a member waits before it asks a store again that gives no lease.
const leasePause = time.Second

// rename takes another name and its slots after another process took the name, which it could because the lease was
// lost for a moment. The old one's slots are the other's now.
func (p *process) rename(drain context.Context) error {
	var member string
	var lease snapshot.Lease
	err := retry.While(drain, leasePause, func() (err error) {
		member, lease, err = p.takeName(drain)
		return err
	}, func(err error, _ time.Duration) bool { return errors.Is(err, snapshot.ErrAway) })
	if err != nil {
		return err
	}
	old := *p.name
	p.name.member, p.name.lease = member, lease
	old.release() // only now, so that it is not taken again
	p.mu.Lock()
	p.called = member
	p.mu.Unlock()
	p.setup.Logger.Warn().Str("member", member).Str("before", old.member).
		Msg("another process took this member's name: it goes on under another one")
	p.slots, err = p.Service.slots(drain, p.cluster, member)
	return err
}

func (n *name) release() {
	if n.lease == nil {
		return
	}
	if err := n.lease.Release(); err != nil {
		n.logger.Warn().Err(err).Msg("the member's name is free only when its lease ends")
	}
}
