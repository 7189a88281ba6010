package consumer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index/snapshot"
)

// name is this process's name in the group. The names of its slots begin with it. Two processes must not use the same
// name, because the later would fence the earlier.
type name struct {
	setup  *Setup
	lease  snapshot.Lease // nil if the name is configured
	member string
}

// takeName returns the configured name or, if there is none, the lowest that no other process has leased, with its
// lease.
func (s *Setup) takeName(ctx context.Context) (*name, error) {
	n := &name{setup: s, member: s.Params.Member}
	if n.member != "" {
		return n, nil
	}
	if s.Leases == nil {
		return nil, &stop.Error{
			What:   "this member has no name, and the snapshot store has no leases",
			Remedy: "set advanced.member, on each member to another name",
		}
	}
	for k := range 1000 {
		var err error
		n.member = fmt.Sprintf("%s-%d", s.Params.Group, k)
		if n.lease, err = s.Leases.Lease(ctx, "member-"+n.member); err == nil {
			return n, nil
		}
		if !errors.Is(err, snapshot.ErrLeased) {
			return nil, fmt.Errorf("lease a name: %w", err)
		}
	}
	return nil, &stop.Error{What: "1000 members are there already", Remedy: "set advanced.member"}
}

// keep takes the lease again when the store lost it, as a restarted database does. It tries for as long as it takes: the
// store may be away, or hold the lease of a connection that broke. If another process has taken the name, it takes the
// place of this one in the group as well, and the sessions notice.
func (n *name) keep(ctx context.Context) {
	for n.lease != nil {
		select {
		case <-n.lease.Lost():
		case <-ctx.Done():
			return
		}
		err := retry.While(ctx, leasePause, func() error {
			lease, err := n.setup.Leases.Lease(ctx, "member-"+n.member)
			if err == nil {
				n.lease = lease
			}
			return err
		}, func(error, time.Duration) bool { return true })
		if err != nil {
			return // stopping is no error
		}
		n.setup.Logger.Info().Str("member", n.member).Msg("the lease on the member's name was lost and is taken again")
	}
}

// leasePause is how long a member waits before it asks a store again that gives no lease.
const leasePause = time.Second

// rename takes another name and its slots after another process took the name, which it could because the lease was
// lost for a moment. The old one's slots are the other's now.
func (p *process) rename(drain context.Context) error {
	var next *name
	err := retry.While(drain, leasePause, func() (err error) {
		next, err = p.setup.takeName(drain)
		return err
	}, func(err error, _ time.Duration) bool { return errors.Is(err, snapshot.ErrAway) })
	if err != nil {
		return err
	}
	p.name.release() // only now, so that it is not taken again
	p.setup.Logger.Warn().Str("member", next.member).Str("before", p.name.member).
		Msg("another process took this member's name: this member goes on under another one")
	p.name = next
	p.called.Store(&next.member)
	p.slots, err = p.fence(drain, next.member)
	return err
}

func (n *name) release() {
	if n.lease == nil {
		return
	}
	if err := n.lease.Release(); err != nil {
		n.setup.Logger.Warn().Err(err).Msg("the member's name is free only when its lease ends")
	}
}
