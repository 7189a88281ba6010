package broker

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// emptyPatience is how long the answer may take.
const emptyPatience = 3 * time.Second

// Empty says that a reader of committed records finds nothing in a partition from one offset up to another, because
// compaction deleted it. A client passes over that, and says so only with the next record, which may never come. A
// topic that is not compacted has all its records, however long a broker takes to bring them. Who cannot be told goes
// on waiting, and asks again.
func (t *Topics) Empty(ctx context.Context, d kgo.Decompressor, topic string, partition int32, from, to int64) bool {
	ctx, cancel := context.WithTimeout(ctx, emptyPatience)
	defer cancel()
	is, err := t.empty(ctx, d, topic, partition, from, to)
	if err != nil {
		t.log.Debug().Err(err).Str("topic", topic).Int32("partition", partition).
			Msg("nobody can tell whether anything is left of a range")
	}
	return is
}

func (t *Topics) empty(ctx context.Context, d kgo.Decompressor, topic string, partition int32, from,
	to int64,
) (bool, error) {
	configs, err := t.askConfigs(ctx, topic)
	if err != nil || !strings.Contains(configs["cleanup.policy"], "compact") {
		return false, err
	}
	of, err := t.detail(ctx, topic)
	if err != nil {
		return false, err
	}
	for from < to {
		fetched, err := t.fetch(ctx, &of, partition, from)
		if fetched == nil {
			return false, err
		}
		p, next := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{
			KeepControlRecords: true, Offset: from, IsolationLevel: kgo.ReadCommitted(), Topic: topic, Partition: partition,
		}, fetched, d, nil)
		switch {
		case p.Err != nil:
			return false, fmt.Errorf("read %s/%d: %w", topic, partition, p.Err)
		case len(p.Records) > 0:
			return p.Records[0].Offset >= to, nil
		case next == from:
			return len(fetched.RecordBatches) == 0 && p.LastStableOffset >= to, nil
		}
		from = next // of these batches nothing is left
	}
	return true, nil
}

// fetchBytes is how much is asked for at a time. A broker brings a whole batch in any case.
const fetchBytes = 256 << 10

// fetch asks the leader of a partition once. It returns nil if that answers about nothing, as one does that bounds
// its clients' rates.
func (t *Topics) fetch(ctx context.Context, topic *kadm.TopicDetail, partition int32, from int64) (*kmsg.FetchResponseTopicPartition, error) {
	req := kmsg.NewPtrFetchRequest()
	req.IsolationLevel, req.MaxBytes = 1, fetchBytes
	of := kmsg.NewFetchRequestTopic()
	of.Topic, of.TopicID = topic.Topic, topic.ID
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.FetchOffset, p.PartitionMaxBytes = partition, from, fetchBytes
	of.Partitions = append(of.Partitions, p)
	req.Topics = append(req.Topics, of)
	kresp, err := t.cl.Broker(int(topic.Partitions[partition].Leader)).RetriableRequest(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("read %s/%d: %w", topic.Topic, partition, err)
	}
	resp, _ := kresp.(*kmsg.FetchResponse)
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		return nil, fmt.Errorf("read %s/%d: %w", topic.Topic, partition, err)
	}
	for i := range resp.Topics {
		for k := range resp.Topics[i].Partitions {
			return &resp.Topics[i].Partitions[k], nil
		}
	}
	return nil, nil // it says nothing
}
