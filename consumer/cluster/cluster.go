// Package cluster makes the requests of a process's sessions that are not for documents: it reads and commits offsets of
// the group, fences transactional ids, and takes sessions out of the group.
//
// It names the slots of a member, from which instance ids and transactional ids follow. It decides nothing: what a
// committed offset means is for package protocol. That documents are neither lost nor doubled does not rely on fencing
// the dead, which only shortens waits.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Cluster is a Kafka cluster as one consumer group uses it.
type Cluster struct {
	Group              string
	TransactionTimeout time.Duration // a transaction open for so long is aborted by the broker
	Options            []kgo.Opt     // how it is reached
	Client             *kgo.Client   // for requests, not for documents
	Logger             zerolog.Logger
}

// Admin is for requests that need no more than this cluster's client.
func (c *Cluster) Admin() *kadm.Client { return kadm.NewClient(c.Client) }

// Slot names the k-th session of a member. It is the instance id in the group.
func Slot(member string, k int) string { return fmt.Sprintf("%s-s%d", member, k) }

// Process is the member whose slot an instance id is; empty if it is none.
func Process(instance *string) string {
	if instance == nil {
		return ""
	}
	return (*instance)[:max(0, strings.LastIndex(*instance, "-s"))]
}

// TransactionalID is stable for a slot, so that whoever takes the slot fences who had it.
func (c *Cluster) TransactionalID(slot string) string { return c.transactionPrefix() + slot }

func (c *Cluster) transactionPrefix() string { return c.Group + "/" }

// leaveTimeout is how long leaving the group may take.
const leaveTimeout = 5 * time.Second

// Leave takes slots out of the group, so that others get their partitions at once. Closing a client with an instance
// id does not. A failure is logged: the group then notices by its time-out.
func (c *Cluster) Leave(ctx context.Context, slots ...string) {
	ctx, cancel := context.WithTimeout(ctx, leaveTimeout)
	defer cancel()
	for _, slot := range slots {
		left, err := c.Admin().LeaveGroup(ctx, kadm.LeaveGroup(c.Group).InstanceIDs(slot).Reason("shutdown"))
		if err == nil {
			err = left.Error()
		}
		if err != nil && !errors.Is(err, kerr.UnknownMemberID) {
			c.Logger.Warn().Err(fmt.Errorf("leave group: %w", err)).
				Msg("the group notices only by its time-out that this session is gone")
		}
	}
}
