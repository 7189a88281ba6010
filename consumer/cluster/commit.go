package cluster

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/protocol"
)

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
