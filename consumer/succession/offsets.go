package succession

import (
	"context"
	"fmt"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index/entry"
)

// offsets reads how far both groups are.
func (r *run) offsets(ctx context.Context) error {
	places, err := r.standpoints(ctx)
	if err != nil {
		return err
	}
	r.report.Places = places
	// after the offsets, so that it has all that they cover; what others have not committed yet, there, may stand before it
	unique, err := Remembered(ctx, r.admin, r.admin.ListEndOffsets, r.Old.Group, r.OldGroup.Journal, r.older.Routes.Text)
	if err != nil {
		return err
	}
	r.Offsets(places, unique)
	return nil
}

// standpoints reads how far both groups are: the new one first, which never commits beyond the old one.
func (r *run) standpoints(ctx context.Context) (places []protocol.Standpoint, err error) {
	of, err := r.partitions(ctx)
	if err != nil {
		return nil, err
	}
	newer, err := broker.Committed(ctx, r.admin, r.NewGroup.Name)
	if err != nil {
		return nil, err
	}
	older, err := r.oldOffsets(ctx, of)
	if err != nil {
		return nil, err
	}
	begins, err := broker.AllOffsets(ctx, r.admin.ListStartOffsets, r.sources...)
	if err != nil {
		return nil, err
	}
	ends, err := broker.AllOffsets(ctx, r.admin.ListEndOffsets, r.sources...)
	if err != nil {
		return nil, err
	}
	for _, tp := range of {
		p := protocol.Standpoint{Topic: tp.Topic, Source: tp.Source, Old: older[tp.Source], New: cluster.Committed(newer, tp.Topic, tp.Source.Partition).Offset}
		begin, _ := begins.Lookup(tp.Topic, tp.Source.Partition)
		end, _ := ends.Lookup(tp.Topic, tp.Source.Partition)
		p.Begin, p.End = begin.Offset, end.Offset
		places = append(places, p)
	}
	return places, nil
}

// oldOffsets fetches the old group's offsets. Those of a group that has retired are fetched when no transaction is
// open on them.
func (r *run) oldOffsets(ctx context.Context, of []protocol.TopicPartition) (map[entry.Source]int64, error) {
	all := make(map[entry.Source]int64, len(of))
	if r.Old.Duty.Kind == protocol.Retired {
		stable, err := r.old().StableOffsets(ctx, of, 0)
		for source, c := range stable {
			all[source] = c.Offset
		}
		return all, err
	}
	plain, err := broker.Committed(ctx, r.admin, r.Old.Group)
	for _, tp := range of {
		all[tp.Source] = cluster.Committed(plain, tp.Topic, tp.Source.Partition).Offset
	}
	return all, err
}

// partitions lists those of the old group's sources.
func (r *run) partitions(ctx context.Context) (of []protocol.TopicPartition, err error) {
	topics, err := r.admin.ListTopics(ctx, r.sources...)
	if err != nil {
		return nil, fmt.Errorf("describe source topics: %w", err)
	}
	for _, t := range topics.Sorted() {
		if t.Err != nil {
			return nil, fmt.Errorf("describe source topic %s: %w", t.Topic, t.Err)
		}
		for _, p := range t.Partitions.Sorted() {
			of = append(of, protocol.TopicPartition{
				Topic: t.Topic, Partitions: int32(len(t.Partitions)), Source: entry.Source{Topic: t.ID, Partition: p.Partition},
			})
		}
	}
	return of, nil
}
