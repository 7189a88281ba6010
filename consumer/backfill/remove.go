package backfill

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/topic"
)

// Removed is what a removal has deleted.
type Removed struct {
	Group  bool
	Topics []string
}

// Remove deletes what a job left in the cluster: its journal, its topics of files, its group. Snapshots deletes those
// of the job's index; it runs before the group goes. The group is the last, so that a removal that was interrupted is
// listed, and the next one finishes it. The outputs stay. A job at work is refused. When Remove returns, no broker
// knows the topics any more, so that a job of the same name can begin at once. Waiting is called with the names of
// those that the brokers still know, if that lasts.
func Remove(ctx context.Context, opts topic.Options, name string, snapshots func(context.Context) error,
	waiting func(topics []string),
) (Removed, error) {
	var done Removed
	client, err := broker.Open(ctx, opts...)
	if err != nil {
		return done, err
	}
	defer client.Close()
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
	topics := []string{JournalOf(name), FilesOf(name), FillOf(name)}
	for _, t := range topics {
		_, err := admin.DeleteTopic(ctx, t)
		gone, err := deleted("topic "+t, err, kerr.UnknownTopicOrPartition)
		if err != nil {
			return done, fmt.Errorf("remove backfill %s: %w", name, err)
		}
		if gone {
			done.Topics = append(done.Topics, t)
		}
	}
	if err := untilGone(ctx, client, waiting, topics...); err != nil {
		return done, fmt.Errorf("remove backfill %s: %w", name, err)
	}
	if err := snapshots(ctx); err != nil {
		return done, fmt.Errorf("remove backfill %s: %w", name, err)
	}
	_, err = admin.DeleteGroup(ctx, group)
	if done.Group, err = deleted("group "+group, err, kerr.GroupIDNotFound); err != nil {
		return done, fmt.Errorf("remove backfill %s: %w", name, err)
	}
	return done, nil
}

// A deleted topic is gone from the controller at once, and from the other brokers a moment later.
const (
	goneWithin   = time.Minute
	gonePoll     = 50 * time.Millisecond
	goneReminder = 2 * time.Second // how often somebody who waits is told
)

// untilGone waits until no broker knows the topics any more.
func untilGone(ctx context.Context, client *kgo.Client, waiting func(topics []string), topics ...string) error {
	var left []string
	var said time.Duration
	errStill := errors.New("brokers still know it")
	err := retry.While(ctx, gonePoll, func() (err error) {
		if left, err = known(ctx, client, topics); err == nil && len(left) > 0 {
			err = errStill
		}
		return err
	}, func(err error, since time.Duration) bool {
		if since-said >= goneReminder && errors.Is(err, errStill) {
			said = since
			waiting(left)
		}
		return since < goneWithin && (errors.Is(err, errStill) || broker.Transient(err))
	})
	if errors.Is(err, errStill) {
		return &stop.Error{
			What: fmt.Sprintf("%s was deleted, and after %v there are brokers that still know it", strings.Join(left, ", "),
				goneWithin),
			Remedy: "check that all brokers are up; then the same command finishes the removal",
		}
	}
	return err
}

// known returns those of the topics that any broker knows. A broker that cannot be reached is not asked.
func known(ctx context.Context, client *kgo.Client, topics []string) (left []string, err error) {
	brokers, err := kadm.NewClient(client).ListBrokers(ctx)
	if err != nil {
		return nil, fmt.Errorf("list brokers: %w", err)
	}
	for _, id := range brokers.NodeIDs() {
		resp, err := client.Broker(int(id)).Request(ctx, topicsRequest(topics))
		if err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			continue
		}
		for _, t := range resp.(*kmsg.MetadataResponse).Topics {
			if t.Topic != nil && !errors.Is(kerr.ErrorForCode(t.ErrorCode), kerr.UnknownTopicOrPartition) &&
				!slices.Contains(left, *t.Topic) {
				left = append(left, *t.Topic)
			}
		}
	}
	return left, nil
}

func topicsRequest(topics []string) *kmsg.MetadataRequest {
	req := kmsg.NewPtrMetadataRequest()
	for _, name := range topics {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = &name
		req.Topics = append(req.Topics, t)
	}
	return req
}

// deleted says whether there was what was to be deleted. Absent is the error where there was nothing.
func deleted(what string, err error, absent *kerr.Error) (bool, error) {
	if err == nil || errors.Is(err, absent) {
		return err == nil, nil
	}
	return false, fmt.Errorf("delete %s: %w", what, err)
}
