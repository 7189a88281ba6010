package consumer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index/entry"
)

// fetchStable returns the committed offsets, waiting for transactions that are still open on them.
func (sh *shared) fetchStable(ctx context.Context, of []topicPartition) (map[entry.Source]protocol.Committed, error) {
	req := stableRequest(sh.params.Group, of)
	began, told := time.Now().Add(-sh.waited), false
	for again := 20 * time.Millisecond; ; again = min(2*again, 200*time.Millisecond) {
		resp, err := req.RequestWith(ctx, sh.admin)
		if err != nil {
			return nil, fmt.Errorf("fetch committed offsets: %w", err)
		}
		got, err := readCommitted(resp, of)
		if !errors.Is(err, kerr.UnstableOffsetCommit) { // of others some call themselves retriable, and are not with this topic id
			return got, err
		}
		if !told && time.Since(began) > stablePatience {
			told = true
			sh.logger.Warn().Strs("partitions", unstable(resp, of)).
				Msg("a transaction is still open on committed offsets: these partitions wait for its end; if it does not come, unecho doctor tells why")
		}
		if err := pause(ctx, again); err != nil {
			return nil, err
		}
	}
}

// stablePatience is how long nobody needs to know that a transaction is waited for. One of a member that works takes much
// less.
const stablePatience = 2 * time.Second

func stableRequest(group string, of []topicPartition) *kmsg.OffsetFetchRequest {
	req := kmsg.NewPtrOffsetFetchRequest()
	req.RequireStable = protocol.RequireStable
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group = group
	for topic, list := range byTopic(of) {
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

func byTopic(of []topicPartition) map[string][]topicPartition {
	m := map[string][]topicPartition{}
	for _, tp := range of {
		m[tp.Topic] = append(m[tp.Topic], tp)
	}
	return m
}

// unstable names the partitions whose offsets an open transaction is about to change.
func unstable(resp *kmsg.OffsetFetchResponse, of []topicPartition) []string {
	var names []string
	asked := askedOf(of)
	for _, g := range resp.Groups {
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				if tp, ok := asked.about(t, p); ok && p.ErrorCode == kerr.UnstableOffsetCommit.Code {
					names = append(names, fmt.Sprintf("%s/%d", tp.Topic, p.Partition))
				}
			}
		}
	}
	return names
}

// asked finds the partition that an answer is about: topics come by name, or by id from version 10 of the request on.
type asked struct {
	byName map[key]topicPartition
	byID   map[entry.Source]topicPartition
}

func askedOf(of []topicPartition) asked {
	a := asked{make(map[key]topicPartition, len(of)), make(map[entry.Source]topicPartition, len(of))}
	for _, tp := range of {
		a.byName[key{tp.Topic, tp.Source.Partition}], a.byID[tp.Source] = tp, tp
	}
	return a
}

func (a asked) about(t kmsg.OffsetFetchResponseGroupTopic, p kmsg.OffsetFetchResponseGroupTopicPartition) (tp topicPartition, ok bool) {
	if t.Topic != "" {
		tp, ok = a.byName[key{t.Topic, p.Partition}]
	} else {
		tp, ok = a.byID[entry.Source{Topic: t.TopicID, Partition: p.Partition}]
	}
	return tp, ok
}

func readCommitted(resp *kmsg.OffsetFetchResponse, of []topicPartition) (map[entry.Source]protocol.Committed, error) {
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
			return nil, fmt.Errorf("fetch committed offsets: no answer about %s/%d", tp.Topic, tp.Source.Partition)
		}
	}
	return got, nil
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
