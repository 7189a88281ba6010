package broker

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// newestBytes bounds what Newest fetches of a topic: a partition gets its share of it, and at least one batch.
const newestBytes = 4 << 20

// Newest returns some of the newest committed records of a topic, about as many as most, and as evenly from its partitions as
// they have them: of more than most partitions from the first ones. It joins no group and commits nothing. A partition that
// cannot be read is left out, and its error is returned where no other has a record either.
func (t *Topics) Newest(ctx context.Context, d kgo.Decompressor, topic string, most int) ([]*kgo.Record, error) {
	of, err := t.detail(ctx, topic)
	if err != nil {
		return nil, err
	}
	parts, failed := t.filled(ctx, topic)
	if len(parts) == 0 {
		return nil, failed
	}
	parts = parts[:min(len(parts), most)]
	share := (most + len(parts) - 1) / len(parts)
	var all []*kgo.Record
	for _, p := range parts {
		records, err := t.last(ctx, d, &of, p, share, newestBytes/len(parts))
		all = append(all, records...)
		failed = cmp.Or(failed, err)
	}
	if len(all) > 0 {
		failed = nil
	}
	return all, failed
}

// part is what is read of a partition.
type part struct {
	number   int32
	from, to int64
}

// filled returns the partitions of a topic that hold something, in order. The error says why others are not known.
func (t *Topics) filled(ctx context.Context, topic string) (parts []part, failed error) {
	starts, err := Offsets(ctx, t.admin.ListStartOffsets, topic)
	if err != nil {
		return nil, fmt.Errorf("list offsets: %w", err)
	}
	ends, err := Offsets(ctx, t.admin.ListCommittedOffsets, topic)
	if err != nil {
		return nil, fmt.Errorf("list offsets: %w", err)
	}
	ends.Each(func(end kadm.ListedOffset) {
		start, _ := starts.Lookup(topic, end.Partition)
		switch err := cmp.Or(start.Err, end.Err); {
		case err != nil:
			failed = fmt.Errorf("%s/%d: %w", topic, end.Partition, err)
		case start.Offset < end.Offset:
			parts = append(parts, part{end.Partition, start.Offset, end.Offset})
		}
	})
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.number, b.number) })
	return parts, failed
}

// farthest is how many offsets before the end of a partition records are looked for.
const farthest = 2000

// last returns the last records of a part, about n. Markers of transactions have offsets too, and so has what was aborted or
// compacted, so that it looks farther back where it finds nothing.
func (t *Topics) last(ctx context.Context, d kgo.Decompressor, of *kadm.TopicDetail, p part, n, bytes int) ([]*kgo.Record, error) {
	for back := 2*int64(n) + 2; ; back *= 8 {
		from := max(p.from, p.to-back)
		records, err := t.read(ctx, d, of, part{p.number, from, p.to}, bytes)
		if len(records) > 0 || from == p.from || back >= farthest || err != nil {
			return records[max(0, len(records)-n):], err
		}
	}
}

// read reads a part, or as much of its beginning as comes with so many bytes.
func (t *Topics) read(ctx context.Context, d kgo.Decompressor, of *kadm.TopicDetail, p part, bytes int) (records []*kgo.Record, err error) {
	for p.from < p.to && bytes > 0 {
		fetched, err := t.fetch(ctx, of, p.number, p.from)
		if fetched == nil {
			return records, err
		}
		bytes -= max(1, len(fetched.RecordBatches))
		got, next := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{
			Offset: p.from, IsolationLevel: kgo.ReadCommitted(), Topic: of.Topic, Partition: p.number,
		}, fetched, d, nil)
		records = append(records, got.Records...)
		switch {
		case got.Err != nil:
			return records, fmt.Errorf("read %s/%d: %w", of.Topic, p.number, got.Err)
		case next == p.from:
			return records, nil
		}
		p.from = next
	}
	return records, nil
}

// detail describes a topic that must exist.
func (t *Topics) detail(ctx context.Context, topic string) (kadm.TopicDetail, error) {
	topics, err := t.admin.ListTopics(ctx, topic)
	if err == nil {
		err = topics[topic].Err
	}
	if err != nil {
		return kadm.TopicDetail{}, t.refused("describe", topic, err)
	}
	return topics[topic], nil
}

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
