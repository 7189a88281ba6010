package cluster

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

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/stop"
)

// Fence takes the transactional id of a slot over: an open transaction is aborted, one that is being committed is
// waited for, and its former owner can do no more. Without it a restarted slot that has nothing to produce would hold
// up everybody behind its open transaction until that times out.
func (c *Cluster) Fence(ctx context.Context, slot string) error {
	return c.fence(ctx, c.TransactionalID(slot))
}

// FenceBound is how long a fencing may take: what is open ends by its time-out, and Kafka needs a moment to notice.
func (c *Cluster) FenceBound() time.Duration { return c.TransactionTimeout + 5*time.Second }

func (c *Cluster) fence(ctx context.Context, transactionalID string) error {
	ctx, cancel := context.WithTimeout(ctx, c.FenceBound())
	defer cancel()
	var answer error // Kafka's last; that time is over says less
	err := retry.While(ctx, 20*time.Millisecond, func() error {
		req := kmsg.NewPtrInitProducerIDRequest()
		req.TransactionalID = &transactionalID
		req.TransactionTimeoutMillis = int32(c.TransactionTimeout.Milliseconds())
		req.ProducerID, req.ProducerEpoch = -1, -1
		resp, err := req.RequestWith(ctx, c.Client)
		if err == nil {
			err = kerr.ErrorForCode(resp.ErrorCode)
			answer = err
		}
		return err
	}, func(err error, _ time.Duration) bool { return broker.Retriable(err) })
	if err == nil {
		return nil
	}
	if answer != nil && errors.Is(err, context.DeadlineExceeded) {
		err = answer
	}
	return fmt.Errorf("fence %s: %w", transactionalID, err)
}

// FenceDead aborts what members that are gone have left open: until then nobody can read past it, and offsets stay
// unstable. It runs when a session is given partitions. They wait for it, so it ends with ctx. Nothing relies on it:
// a dead member cannot commit any more, because its generation is over, and its transaction ends by its time-out.
func (c *Cluster) FenceDead(ctx context.Context) {
	open, err := c.openTransactions(ctx)
	if err == nil && len(open) > 0 {
		open, err = c.ofTheDead(ctx, open)
	}
	if err != nil {
		c.Logger.Warn().Err(err).Msg(
			"open transactions of members that are gone are not looked for: they end by their time-out")
		return
	}
	var fencing errgroup.Group
	fencing.SetLimit(mostFencing)
	for _, id := range open {
		fencing.Go(func() error {
			c.FenceIfDead(ctx, id)
			return nil
		})
	}
	_ = fencing.Wait() // each has said what went wrong
}

// FencingWithin is how long partitions wait at most for what the dead left open.
const FencingWithin = 2 * time.Second

// mostFencing bounds how many transactional ids are fenced at once.
const mostFencing = 16

// FenceIfDead fences a transactional id whose member is gone. It looks again just before: a member that has come back
// in the meantime would be thrown out of its work.
func (c *Cluster) FenceIfDead(ctx context.Context, id string) {
	still, err := c.ofTheDead(ctx, []string{id})
	if err == nil && len(still) == 0 {
		return
	}
	if err == nil {
		err = c.fence(ctx, id)
	}
	if err != nil {
		c.Logger.Warn().Err(err).Str("transactional_id", id).
			Msg("an open transaction of a member that is gone ends by its time-out")
		return
	}
	c.Logger.Info().Str("transactional_id", id).Msg("fenced the open transaction of a member that is gone")
}

// listingWithin bounds how long brokers are asked what is open: the rest of the time is for fencing it.
const listingWithin = FencingWithin / 2

// openTransactions lists the open transactions of our group. A broker that does not answer may have died together
// with a member. It hides only the transactions that it coordinates.
func (c *Cluster) openTransactions(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, listingWithin)
	defer cancel()
	listed, err := c.Admin().ListTransactions(ctx, nil, []string{"Ongoing"})
	switch {
	case err != nil && len(listed) == 0:
		return nil, fmt.Errorf("list transactions: %w", err)
	case err != nil:
		c.Logger.Warn().Err(err).Msg("not all brokers say which transactions are open: those of others end by their time-out")
	}
	var open []string
	for _, t := range listed.Sorted() {
		if strings.HasPrefix(t.TxnID, c.transactionPrefix()) {
			open = append(open, t.TxnID)
		}
	}
	return open, nil
}

// ofTheDead returns the transactional ids that belong to no member of the group.
func (c *Cluster) ofTheDead(ctx context.Context, ids []string) ([]string, error) {
	groups, err := c.Admin().DescribeGroups(ctx, c.Group)
	if err == nil {
		err = groups[c.Group].Err
	}
	if err != nil {
		return nil, fmt.Errorf("describe group: %w", err)
	}
	dead := slices.Clone(ids)
	for _, m := range groups[c.Group].Members {
		if m.InstanceID != nil {
			alive := c.TransactionalID(*m.InstanceID)
			dead = slices.DeleteFunc(dead, func(id string) bool { return id == alive })
		}
	}
	return dead, nil
}

// How long brokers that do not answer are waited for when all of a group's transactional ids are fenced, and how often
// they are asked meanwhile.
const (
	fenceWithin = time.Minute
	fencePause  = 500 * time.Millisecond
)

// FenceAll takes over all transactional ids of the group, which has no members any more: what it left open is
// aborted, and who had one of them can do no more. Every broker is asked, and waited for: one that is lost is not
// listed any more after a few seconds, and another one coordinates its transactions.
func (c *Cluster) FenceAll(ctx context.Context) error {
	var listed kadm.ListedTransactions
	err := retry.While(ctx, fencePause, func() (err error) {
		listed, err = c.Admin().ListTransactions(ctx, nil, nil)
		return err
	}, func(_ error, since time.Duration) bool { return since < fenceWithin })
	if err != nil {
		return &stop.Error{
			What:   fmt.Sprintf("not all brokers say which transactions of group %s there are", c.Group),
			Remedy: "check that all brokers are up; then the same command goes on", Err: err,
		}
	}
	var fencing errgroup.Group
	fencing.SetLimit(mostFencing)
	for _, t := range listed.Sorted() {
		if strings.HasPrefix(t.TxnID, c.transactionPrefix()) {
			fencing.Go(func() error { return c.fence(ctx, t.TxnID) })
		}
	}
	return fencing.Wait()
}
