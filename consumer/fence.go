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

// fenceDead aborts what members that are gone have left open: until then nobody could read past it, and offsets would stay
// unstable. It runs after each rebalance that gives this session partitions.
func (s *session) fenceDead(ctx context.Context) {
	dead, err := s.deadTransactions(ctx)
	if err != nil {
		s.logger.Warn().Err(err).Msg("open transactions of members that are gone are not looked for: they end by their time-out")
		return
	}
	for _, id := range dead {
		if err := s.fence(ctx, id); err != nil {
			s.logger.Warn().Err(err).Msg("an open transaction of a member that is gone ends by its time-out")
			continue
		}
		s.logger.Info().Str("transactional_id", id).Msg("fenced the open transaction of a member that is gone")
	}
}

func (s *session) deadTransactions(ctx context.Context) ([]string, error) {
	admin := kadm.NewClient(s.admin)
	listed, err := admin.ListTransactions(ctx, nil, []string{"Ongoing"})
	if err != nil {
		return nil, fmt.Errorf("list transactions: %w", err)
	}
	var open []string
	for _, t := range listed.Sorted() {
		if strings.HasPrefix(t.TxnID, s.transactionPrefix()) {
			open = append(open, t.TxnID)
		}
	}
	if len(open) == 0 {
		return nil, nil
	}
	groups, err := admin.DescribeGroups(ctx, s.params.Group)
	if err == nil {
		err = groups[s.params.Group].Err
	}
	if err != nil {
		return nil, fmt.Errorf("describe group: %w", err)
	}
	for _, m := range groups[s.params.Group].Members {
		if m.InstanceID != nil {
			alive := s.transactionalID(*m.InstanceID)
			open = slices.DeleteFunc(open, func(id string) bool { return id == alive })
		}
	}
	return open, nil
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
