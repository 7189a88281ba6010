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

// keep takes the lease again when the store lost it, as a restarted database does. While the store is away nobody else
// can take the name either. If another process has taken it, this process ends.
func (n *name) keep(ctx context.Context) error {
	for n.lease != nil {
		select {
		case <-n.lease.Lost():
		case <-ctx.Done():
			return nil
		}
		for {
			lease, err := n.leases.Lease(ctx, "member-"+n.member)
			if err == nil {
				n.lease = lease
				n.logger.Info().Str("member", n.member).Msg("the lease on the member's name was lost and is taken again")
				break
			}
			if errors.Is(err, snapshot.ErrLeased) {
				return &stop.Error{
					What: "another process took the name " + n.member + " while the snapshot store was away", Err: err,
					Remedy: "start again: the next free name is taken",
				}
			}
			if retry.Pause(ctx, 2*time.Second) != nil {
				return nil //nolint:nilerr // stopping is no error
			}
		}
	}
	return nil
}

func (n *name) release() {
	if n.lease == nil {
		return
	}
	if err := n.lease.Release(); err != nil {
		n.logger.Warn().Err(err).Msg("the member's name is free only when its lease ends")
	}
}
