package consumer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/index/entry"
)

// committed is an offset the group has committed, with what our metadata says.
type committed struct {
	offset int64 // -1: none
	ours   bool  // the metadata is ours
	epoch  uint32
	start  int64
}

// metadata goes with every commit, so that the commit alone decides which epoch is in force (design 4, rule 4).
func metadata(epoch uint32, start int64) string { return fmt.Sprintf("unecho1 %d %d", epoch, start) }

func parseMetadata(s string) (epoch uint32, start int64, ok bool) {
	if !strings.HasPrefix(s, "unecho1 ") {
		return 0, 0, false
	}
	_, err := fmt.Sscanf(s, "unecho1 %d %d", &epoch, &start)
	return epoch, start, err == nil
}

// topicPartition names a partition of the source with the topic incarnation it was assigned in.
type topicPartition struct {
	topic      string
	partitions int32 // of the topic, when it was assigned
	source     entry.Source
}

// fetchStable returns the committed offsets, waiting for transactions that are still open on them.
func fetchStable(ctx context.Context, client *kgo.Client, group string, of []topicPartition) (map[entry.Source]committed, error) {
	req := kmsg.NewPtrOffsetFetchRequest()
	req.RequireStable = true
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group = group
	for topic, list := range byTopic(of) {
		t := kmsg.NewOffsetFetchRequestGroupTopic()
		t.Topic, t.TopicID = topic, list[0].source.Topic
		for _, tp := range list {
			t.Partitions = append(t.Partitions, tp.source.Partition)
		}
		g.Topics = append(g.Topics, t)
	}
	req.Groups = append(req.Groups, g)
	for {
		resp, err := req.RequestWith(ctx, client)
		if err != nil {
			return nil, fmt.Errorf("fetch committed offsets: %w", err)
		}
		got, err := readCommitted(resp, of)
		if !errors.Is(err, kerr.UnstableOffsetCommit) { // of others some call themselves retriable, and are not with this topic id
			return got, err
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

func byTopic(of []topicPartition) map[string][]topicPartition {
	m := map[string][]topicPartition{}
	for _, tp := range of {
		m[tp.topic] = append(m[tp.topic], tp)
	}
	return m
}

func readCommitted(resp *kmsg.OffsetFetchResponse, of []topicPartition) (map[entry.Source]committed, error) {
	got := make(map[entry.Source]committed, len(of))
	for _, g := range resp.Groups {
		if err := kerr.ErrorForCode(g.ErrorCode); err != nil {
			return nil, fmt.Errorf("fetch committed offsets: %w", err)
		}
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
					return nil, fmt.Errorf("fetch committed offset of partition %d: %w", p.Partition, err)
				}
				c := committed{offset: p.Offset}
				if p.Metadata != nil {
					c.epoch, c.start, c.ours = parseMetadata(*p.Metadata)
				}
				for _, tp := range of {
					if tp.source.Partition == p.Partition && (tp.topic == t.Topic || t.Topic == "" && t.TopicID == tp.source.Topic) {
						got[tp.source] = c
					}
				}
			}
		}
	}
	for _, tp := range of {
		if _, ok := got[tp.source]; !ok {
			return nil, fmt.Errorf("fetch committed offsets: no answer about %s/%d", tp.topic, tp.source.Partition)
		}
	}
	return got, nil
}

// commitEpoch commits the beginning of an epoch as the group member that the session is, so that a zombie's is refused.
func (s *session) commitEpoch(ctx context.Context, tp topicPartition, offset int64, epoch uint32) error {
	member, generation := s.kafkaClient().GroupMetadata()
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.MemberID, req.Generation = s.params.Group, member, generation
	req.InstanceID = &s.slot
	t := kmsg.NewOffsetCommitRequestTopic()
	t.Topic, t.TopicID = tp.topic, tp.source.Topic
	p := kmsg.NewOffsetCommitRequestTopicPartition()
	p.Partition, p.Offset = tp.source.Partition, offset
	m := metadata(epoch, offset)
	p.Metadata = &m
	t.Partitions = append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	resp, err := req.RequestWith(ctx, s.admin)
	if err != nil {
		return fmt.Errorf("commit epoch %d of %s/%d: %w", epoch, tp.topic, tp.source.Partition, err)
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return fmt.Errorf("commit epoch %d of %s/%d: %w", epoch, tp.topic, tp.source.Partition, err)
			}
		}
	}
	return nil
}

// pause waits, or returns why ctx is done.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
