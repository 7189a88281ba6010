package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/index/entry"
)

// StableOffsets returns the committed offsets. It waits for transactions that are still open on them. Ahead counts as
// time that it has waited already.
func (c *Cluster) StableOffsets(ctx context.Context, of []protocol.TopicPartition,
	ahead time.Duration,
) (map[entry.Source]protocol.Committed, error) {
	req := stableRequest(c.Group, of)
	began, told := time.Now().Add(-ahead), false
	for again := 20 * time.Millisecond; ; again = min(2*again, 200*time.Millisecond) {
		resp, err := req.RequestWith(ctx, c.Client)
		if err != nil {
			return nil, fmt.Errorf("fetch committed offsets: %w", err)
		}
		got, err := readCommitted(resp, of)
		// of others some call themselves retriable, and are not with this topic id
		if !errors.Is(err, kerr.UnstableOffsetCommit) {
			return got, err
		}
		if !told && time.Since(began) > StablePatience {
			told = true
			c.Logger.Warn().Strs("partitions", unstable(resp, of)).
				Msg("a transaction is still open on committed offsets: these partitions wait for its end; if it does not come, " +
					"unecho doctor tells why")
		}
		if err := retry.Pause(ctx, again); err != nil {
			return nil, err
		}
	}
}

// StablePatience is how long a wait for an open transaction is not worth a message. A transaction of a working member
// takes much less.
const StablePatience = 2 * time.Second

func stableRequest(group string, of []protocol.TopicPartition) *kmsg.OffsetFetchRequest {
	req := kmsg.NewPtrOffsetFetchRequest()
	req.RequireStable = protocol.RequireStable
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group = group
	for topic, list := range ByTopic(of) {
		t := kmsg.NewOffsetFetchRequestGroupTopic()
		t.Topic, t.TopicID = topic, list[0].Source.Topic
		for _, tp := range list {
			t.Partitions = append(t.Partitions, tp.Source.Partition)
		}
		g.Topics = append(g.Topics, t)
	}
	req.Groups = append(req.Groups, g)
	return req
}

// ByTopic sorts partitions by their topic.
func ByTopic(of []protocol.TopicPartition) map[string][]protocol.TopicPartition {
	m := map[string][]protocol.TopicPartition{}
	for _, tp := range of {
		m[tp.Topic] = append(m[tp.Topic], tp)
	}
	return m
}

// unstable names the partitions whose offsets an open transaction is about to change.
func unstable(resp *kmsg.OffsetFetchResponse, of []protocol.TopicPartition) []string {
	var names []string
	asked := askedOf(of)
	for _, g := range resp.Groups {
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				if tp, ok := asked.about(t, p); ok && p.ErrorCode == kerr.UnstableOffsetCommit.Code {
					names = append(names, tp.Name().String())
				}
			}
		}
	}
	return names
}

// asked finds the partition that an answer is about. Topics come by name, or by id from version 10 of the request on.
type asked struct {
	byName map[entry.PartitionName]protocol.TopicPartition
	byID   map[entry.Source]protocol.TopicPartition
}

func askedOf(of []protocol.TopicPartition) asked {
	a := asked{make(map[entry.PartitionName]protocol.TopicPartition, len(of)), make(map[entry.Source]protocol.TopicPartition, len(of))}
	for _, tp := range of {
		a.byName[tp.Name()], a.byID[tp.Source] = tp, tp
	}
	return a
}

func (a asked) about(t kmsg.OffsetFetchResponseGroupTopic,
	p kmsg.OffsetFetchResponseGroupTopicPartition,
) (tp protocol.TopicPartition, ok bool) {
	if t.Topic != "" {
		tp, ok = a.byName[entry.Name(t.Topic, p.Partition)]
	} else {
		tp, ok = a.byID[entry.Source{Topic: t.TopicID, Partition: p.Partition}]
	}
	return tp, ok
}

func readCommitted(resp *kmsg.OffsetFetchResponse,
	of []protocol.TopicPartition,
) (map[entry.Source]protocol.Committed, error) {
	got, asked := make(map[entry.Source]protocol.Committed, len(of)), askedOf(of)
	for _, g := range resp.Groups {
		if err := kerr.ErrorForCode(g.ErrorCode); err != nil {
			return nil, fmt.Errorf("fetch committed offsets: %w", err)
		}
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
					return nil, fmt.Errorf("fetch committed offset of partition %d: %w", p.Partition, err)
				}
				metadata := ""
				if p.Metadata != nil {
					metadata = *p.Metadata
				}
				if tp, ok := asked.about(t, p); ok {
					got[tp.Source] = protocol.NewCommitted(p.Offset, metadata)
				}
			}
		}
	}
	for _, tp := range of {
		if _, ok := got[tp.Source]; !ok {
			return nil, fmt.Errorf("fetch committed offsets: no answer about %v", tp.Name())
		}
	}
	return got, nil
}

// Identity is a member's in the group, by which a zombie's commits are refused.
type Identity struct {
	Slot       string
	Member     string // as Kafka calls it
	Generation int32
}

// Commit is an offset that is committed although nothing is forwarded.
type Commit struct {
	protocol.TopicPartition
	Offset   int64
	Metadata string
}

// Commit commits offsets without a transaction, at least one.
func (c *Cluster) Commit(ctx context.Context, as Identity, some []Commit) error {
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.MemberID, req.Generation, req.InstanceID = c.Group, as.Member, as.Generation, &as.Slot
	at := map[string]int{} // topic -> its place in the request
	for i := range some {
		of := &some[i]
		k, there := at[of.Topic]
		if !there {
			k, at[of.Topic] = len(req.Topics), len(req.Topics)
			topic := kmsg.NewOffsetCommitRequestTopic()
			topic.Topic, topic.TopicID = of.Topic, of.Source.Topic
			req.Topics = append(req.Topics, topic)
		}
		p := kmsg.NewOffsetCommitRequestTopicPartition()
		p.Partition, p.Offset, p.Metadata = of.Source.Partition, of.Offset, &of.Metadata
		req.Topics[k].Partitions = append(req.Topics[k].Partitions, p)
	}
	resp, err := req.RequestWith(ctx, c.Client)
	if err != nil {
		return fmt.Errorf("commit offset %d of %s: %w", some[0].Offset, some[0].Name(), err)
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return fmt.Errorf("commit an offset of partition %d: %w", p.Partition, err)
			}
		}
	}
	return nil
}

// Progress reads from the committed offsets of a group how far its backfill has come.
func Progress(ctx context.Context, admin *kadm.Client, group string, plan *protocol.Plan) (protocol.Progress, error) {
	done, err := broker.Committed(ctx, admin, group)
	if err != nil {
		return protocol.Progress{}, err
	}
	return ProgressBy(done, plan), nil
}

// ProgressBy is how far a backfill has come by what its group has committed.
func ProgressBy(done kadm.OffsetResponses, plan *protocol.Plan) protocol.Progress {
	return plan.Progress(func(r protocol.Range) protocol.Committed { return Committed(done, r.Topic, r.Source.Partition) })
}

// Committed is what was committed of a partition; its offset is -1 if nothing was.
func Committed(of kadm.OffsetResponses, topic string, partition int32) protocol.Committed {
	if c, ok := of.Lookup(topic, partition); ok {
		return protocol.NewCommitted(c.At, c.Metadata)
	}
	return protocol.Committed{Offset: -1}
}
