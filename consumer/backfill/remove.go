package backfill

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/topic"
)

// Removed is what a removal has deleted.
type Removed struct {
	Group  bool
	Topics []string
}

// Remove deletes what a job left in the cluster: its journal, its topic of files, its group. Snapshots deletes those of
// the job's index; it runs before the group goes. The group is the last, so that a removal that was interrupted is
// listed, and the next one finishes it. The outputs stay. A job at work is refused.
func Remove(ctx context.Context, opts topic.Options, name string, snapshots func(context.Context) error) (Removed, error) {
	var done Removed
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return done, fmt.Errorf("open client: %w", err)
	}
	defer client.Close()
	if err := broker.Ping(ctx, client); err != nil {
		return done, err
	}
	admin := kadm.NewClient(client)
	group := GroupOf(name)
	n, err := members(ctx, admin, group)
	if err != nil {
		return done, fmt.Errorf("remove backfill %s: %w", name, err)
	}
	if n > 0 {
		return done, &stop.Error{
			What:   fmt.Sprintf("backfill %s is at work: its group %s has %s", name, group, several(n, "member")),
			Remedy: "stop its processes first",
		}
	}
	for _, t := range []string{JournalOf(name), FilesOf(name)} {
		gone, err := deleteTopic(ctx, admin, t)
		if err != nil {
			return done, fmt.Errorf("remove backfill %s: %w", name, err)
		}
		if gone {
			done.Topics = append(done.Topics, t)
		}
	}
	if err := snapshots(ctx); err != nil {
		return done, fmt.Errorf("remove backfill %s: %w", name, err)
	}
	done.Group, err = deleteGroup(ctx, admin, group)
	if err != nil {
		return done, fmt.Errorf("remove backfill %s: %w", name, err)
	}
	return done, nil
}

// deleteTopic returns false for a topic that is not there.
func deleteTopic(ctx context.Context, admin *kadm.Client, name string) (bool, error) {
	_, err := admin.DeleteTopic(ctx, name)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, kerr.UnknownTopicOrPartition):
		return false, nil
	}
	return false, fmt.Errorf("delete topic %s: %w", name, err)
}

func deleteGroup(ctx context.Context, admin *kadm.Client, name string) (bool, error) {
	_, err := admin.DeleteGroup(ctx, name)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, kerr.GroupIDNotFound):
		return false, nil
	}
	return false, fmt.Errorf("delete group %s: %w", name, err)
}
