package session

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/protocol"
)

// commitPartitions bounds a commit: the coordinator writes one batch of it, which must stay below the 1 MiB that
// Kafka takes by default. An offset takes some 400 bytes of it at most, with the longest name of a topic.
const commitPartitions = 1000

// commitEpochs commits the beginnings of epochs.
func (s *Session) commitEpochs(ctx context.Context, some []*protocol.Takeover) error {
	all := make([]standstill, len(some))
	for i, t := range some {
		all[i] = standstill{t.TopicPartition, t.Decision.Offset, protocol.Metadata(t.Decision.Epoch, t.Decision.Offset)}
	}
	return s.commitPlainly(ctx, all)
}

// standstill is an offset that is committed although nothing is forwarded.
type standstill struct {
	protocol.TopicPartition
	offset   int64
	metadata string
}

// commitPlainly commits offsets without a transaction, as the group member that the session is, so that a zombie's
// are refused.
func (s *Session) commitPlainly(ctx context.Context, some []standstill) error {
	member, generation := s.kafkaClient().GroupMetadata()
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.MemberID, req.Generation = s.Params.Group, member, generation
	req.InstanceID = &s.slot
	at := map[string]int{} // topic -> its place in the request
	for _, t := range some {
		i, there := at[t.Topic]
		if !there {
			i, at[t.Topic] = len(req.Topics), len(req.Topics)
			topic := kmsg.NewOffsetCommitRequestTopic()
			topic.Topic, topic.TopicID = t.Topic, t.Source.Topic
			req.Topics = append(req.Topics, topic)
		}
		p := kmsg.NewOffsetCommitRequestTopicPartition()
		p.Partition, p.Offset, p.Metadata = t.Source.Partition, t.offset, &t.metadata
		req.Topics[i].Partitions = append(req.Topics[i].Partitions, p)
	}
	resp, err := req.RequestWith(ctx, s.Cluster.Client)
	if err != nil {
		return fmt.Errorf("commit offset %d of %s/%d: %w", some[0].offset, some[0].Topic, some[0].Source.Partition, err)
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
