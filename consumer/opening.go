package consumer

import (
	"context"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/protocol"
)

// opening is an epoch of a partition that begins, or whose reposition may be missing in the journal.
type opening struct {
	topicPartition
	offset    int64
	epoch     uint32
	committed bool
	gone      int64 // behind what retention deleted from here on; -1: it is not
}

// openings are what one round of the steps of an assignment came to, for those partitions that are not ready by it.
type openings struct {
	all   []opening
	waits bool // a partition repeats the steps a little later
}

func (o *openings) add(f *protocol.Findings, d *protocol.Decision, committed bool) {
	gone := int64(-1)
	if d.Reason == protocol.Deleted {
		gone = f.Committed.Offset
	}
	o.all = append(o.all, opening{f.TopicPartition, d.Offset, d.Epoch, committed, gone})
}

// openEpochs commits the epochs that begin, and only when all of them are committed appends their repositions (design 4, rule 4). It
// returns the journal offset to wait for; -1 is none. A first start takes a few requests, however many partitions it begins.
func (s *session) openEpochs(ctx context.Context, all []opening) (last int64, err error) {
	if len(all) == 0 {
		return -1, nil
	}
	begins := slices.DeleteFunc(slices.Clone(all), func(o opening) bool { return o.committed })
	for some := range slices.Chunk(begins, commitPartitions) {
		err := s.commitEpochs(ctx, some)
		s.allDeleted(some, err)
		if err != nil {
			return -1, err
		}
	}
	for _, o := range begins {
		s.setMoved(o.Source, false)
	}
	frames := make([][]byte, len(all))
	for i := range all {
		o := &all[i]
		frames[i] = s.frame(o.Reposition(s.header(), o.offset, o.epoch))
	}
	return s.append(ctx, frames)
}

// commitPartitions bounds a commit: the coordinator writes one batch of it, which must stay below the 1 MiB that Kafka takes by
// default. An offset takes some 400 bytes of it at most, with the longest name of a topic.
const commitPartitions = 1000

// commitEpochs commits the beginnings of epochs as the group member that the session is, so that a zombie's are refused.
func (s *session) commitEpochs(ctx context.Context, some []opening) error {
	member, generation := s.kafkaClient().GroupMetadata()
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.MemberID, req.Generation = s.params.Group, member, generation
	req.InstanceID = &s.slot
	at := map[string]int{} // topic -> its place in the request
	for _, o := range some {
		i, there := at[o.Topic]
		if !there {
			i, at[o.Topic] = len(req.Topics), len(req.Topics)
			t := kmsg.NewOffsetCommitRequestTopic()
			t.Topic, t.TopicID = o.Topic, o.Source.Topic
			req.Topics = append(req.Topics, t)
		}
		p := kmsg.NewOffsetCommitRequestTopicPartition()
		p.Partition, p.Offset = o.Source.Partition, o.offset
		metadata := protocol.Metadata(o.epoch, o.offset)
		p.Metadata = &metadata
		req.Topics[i].Partitions = append(req.Topics[i].Partitions, p)
	}
	resp, err := req.RequestWith(ctx, s.admin)
	if err != nil {
		return fmt.Errorf("commit epoch %d of %s/%d: %w", some[0].epoch, some[0].Topic, some[0].Source.Partition, err)
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return fmt.Errorf("commit an epoch of partition %d: %w", p.Partition, err)
			}
		}
	}
	return nil
}
