package backfill

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/topic"
)

// Listed is a job that has left something in the cluster.
type Listed struct {
	Name string
	State
	Progress protocol.Progress // empty if there is no plan
}

// List returns all jobs with groups of their own, by name: those whose group is there, and those of which only topics
// are. Those that go on as a live group are that group's.
func List(ctx context.Context, opts topic.Options) ([]Listed, error) {
	names, err := names(ctx, opts)
	if err != nil {
		return nil, err
	}
	out := make([]Listed, len(names))
	looking, ctx := errgroup.WithContext(ctx)
	looking.SetLimit(looksAtOnce)
	for i, name := range names {
		looking.Go(func() error {
			job := Job{Kafka: opts, Name: name, Group: GroupOf(name), Journal: JournalOf(name)}
			s, err := job.Look(ctx)
			if err != nil {
				return fmt.Errorf("look at backfill %s: %w", name, err)
			}
			out[i] = Listed{Name: name, State: s}
			if s.Plan != nil {
				out[i].Progress = s.Progress()
			}
			return nil
		})
	}
	if err := looking.Wait(); err != nil {
		return nil, err
	}
	return out, nil
}

// looksAtOnce is how many jobs are looked at together. Each takes some round trips, and nothing else.
const looksAtOnce = 8

func names(ctx context.Context, opts topic.Options) ([]string, error) {
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, fmt.Errorf("open client: %w", err)
	}
	defer client.Close()
	if err := broker.Ping(ctx, client); err != nil {
		return nil, err
	}
	admin := kadm.NewClient(client)
	groups, err := admin.ListGroups(ctx)
	if err != nil {
		return nil, fmt.Errorf("list groups: %w", err)
	}
	topics, err := admin.ListTopics(ctx)
	if err != nil {
		return nil, fmt.Errorf("list topics: %w", err)
	}
	found := map[string]bool{}
	find := func(name string) {
		if CheckName(name) == nil { // anybody may begin the name of a group so, and go on with any text
			found[name] = true
		}
	}
	for _, group := range groups.Groups() {
		if name, ok := strings.CutPrefix(group, Prefix); ok {
			find(name)
		}
	}
	for _, t := range topics.Names() {
		for _, suffix := range []string{strings.TrimPrefix(JournalOf(""), Prefix), filesSuffix} {
			name, ours := strings.CutPrefix(t, Prefix)
			name, whole := strings.CutSuffix(name, suffix)
			if ours && whole {
				find(name)
			}
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}
