package consumer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
	"golang.org/x/sync/errgroup"
)

// slot names the k-th session of a member. It is the instance id in the group.
func slot(member string, k int) string { return fmt.Sprintf("%s-s%d", member, k) }

// transactionalID is stable for a slot, so that whoever takes the slot fences who had it.
func (sh *shared) transactionalID(slot string) string { return sh.transactionPrefix() + slot }

func (sh *shared) transactionPrefix() string { return sh.params.Group + "/" }

// fence takes the transactional id over: an open transaction is aborted, one that is being committed is waited for, and its
// former owner can do no more. Without it a restarted slot that has nothing to produce would hold up everybody behind its
// open transaction until that times out.
func (sh *shared) fence(ctx context.Context, transactionalID string) error {
	ctx, cancel := context.WithTimeout(ctx, sh.params.TransactionTimeout+5*time.Second)
	defer cancel()
	for {
		req := kmsg.NewPtrInitProducerIDRequest()
		req.TransactionalID = &transactionalID
		req.TransactionTimeoutMillis = int32(sh.params.TransactionTimeout.Milliseconds())
		req.ProducerID, req.ProducerEpoch = -1, -1
		resp, err := req.RequestWith(ctx, sh.admin)
		if err == nil {
			err = kerr.ErrorForCode(resp.ErrorCode)
		}
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil || !passing(err):
			return fmt.Errorf("fence %s: %w", transactionalID, err)
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return fmt.Errorf("fence %s: %w", transactionalID, err)
		}
	}
}

// passing says that the same request may succeed in a moment: Kafka says so, or has not answered at all.
func passing(err error) bool {
	var code *kerr.Error
	return !errors.As(err, &code) || code.Retriable || errors.Is(err, kerr.ConcurrentTransactions)
}

// fenceDead aborts what members that are gone have left open: until then nobody can read past it, and offsets stay unstable.
// It runs when this session is given partitions, which wait for it; so it does not go on for longer than ctx. Nothing relies
// on it: what a dead member has open cannot commit any more, for its generation is over, and ends by its time-out.
func (s *session) fenceDead(ctx context.Context) {
	open, err := s.openTransactions(ctx)
	if err == nil && len(open) > 0 {
		open, err = s.ofTheDead(ctx, open)
	}
	if err != nil {
		s.logger.Warn().Err(err).Msg("open transactions of members that are gone are not looked for: they end by their time-out")
		return
	}
	var fencing errgroup.Group
	fencing.SetLimit(mostFencing)
	for _, id := range open {
		fencing.Go(func() error {
			s.fenceIfDead(ctx, id)
			return nil
		})
	}
	_ = fencing.Wait() // each has said what went wrong
}

// mostFencing bounds the requests that are on their way at once. A process has two sessions, so it is several processes.
const mostFencing = 16

// fenceIfDead looks again just before, for a member that has come back in the meantime would be thrown out of its work.
func (s *session) fenceIfDead(ctx context.Context, id string) {
	still, err := s.ofTheDead(ctx, []string{id})
	if err == nil && len(still) == 0 {
		return
	}
	if err == nil {
		err = s.fence(ctx, id)
	}
	if err != nil {
		s.logger.Warn().Err(err).Str("transactional_id", id).Msg("an open transaction of a member that is gone ends by its time-out")
		return
	}
	s.logger.Info().Str("transactional_id", id).Msg("fenced the open transaction of a member that is gone")
}

// listingWithin bounds how long brokers are asked what is open: the rest of the time is for fencing it.
const listingWithin = fencingWithin / 2

// openTransactions lists those of our group. A broker that does not answer, for it may have died together with a member, hides
// only what it coordinates.
func (s *session) openTransactions(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, listingWithin)
	defer cancel()
	listed, err := kadm.NewClient(s.admin).ListTransactions(ctx, nil, []string{"Ongoing"})
	switch {
	case err != nil && len(listed) == 0:
		return nil, fmt.Errorf("list transactions: %w", err)
	case err != nil:
		s.logger.Warn().Err(err).Msg("not all brokers say which transactions are open: those of others end by their time-out")
	}
	var open []string
	for _, t := range listed.Sorted() {
		if strings.HasPrefix(t.TxnID, s.transactionPrefix()) {
			open = append(open, t.TxnID)
		}
	}
	return open, nil
}

// ofTheDead leaves out the transactions of those who are members of the group.
func (s *session) ofTheDead(ctx context.Context, ids []string) ([]string, error) {
	groups, err := kadm.NewClient(s.admin).DescribeGroups(ctx, s.params.Group)
	if err == nil {
		err = groups[s.params.Group].Err
	}
	if err != nil {
		return nil, fmt.Errorf("describe group: %w", err)
	}
	dead := slices.Clone(ids)
	for _, m := range groups[s.params.Group].Members {
		if m.InstanceID != nil {
			alive := s.transactionalID(*m.InstanceID)
			dead = slices.DeleteFunc(dead, func(id string) bool { return id == alive })
		}
	}
	return dead, nil
}

// leave takes a slot out of the group, so that others get its partitions at once. Closing a client with an instance id does
// not.
func (sh *shared) leave(ctx context.Context, slot string) error {
	left, err := kadm.NewClient(sh.admin).LeaveGroup(ctx, kadm.LeaveGroup(sh.params.Group).InstanceIDs(slot).Reason("shutdown"))
	if err == nil {
		err = left.Error()
	}
	if err != nil && !errors.Is(err, kerr.UnknownMemberID) {
		return fmt.Errorf("leave group: %w", err)
	}
	return nil
}
