package backfill

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
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
	Err      error             // why the job cannot be read; all else but the name is empty then
}

// List returns all jobs with groups of their own, by name: those whose group is there, and those of which only topics
// are. Those that go on as a live group are that group's. A job that cannot be read does not hide the others: its Err
// says why. One that is begun or removed at the same moment may be unreadable for that moment, so it is looked at
// again, and is left out if it is gone.
func List(ctx context.Context, opts topic.Options) ([]Listed, error) {
	all, err := names(ctx, opts)
	if err != nil {
		return nil, err
	}
	listed := map[string]Listed{}
	for range looksAtMost {
		if err := lookAt(ctx, opts, all, listed); err != nil {
			return nil, err
		}
		unread := slices.DeleteFunc(slices.Sorted(maps.Keys(listed)),
			func(name string) bool { return listed[name].Err == nil })
		if len(unread) == 0 {
			break
		}
		there, err := names(ctx, opts)
		if err != nil {
			return nil, err
		}
		all = all[:0]
		for _, name := range unread {
			if slices.Contains(there, name) {
				all = append(all, name)
			} else {
				delete(listed, name)
			}
		}
	}
	return slices.SortedFunc(maps.Values(listed), func(a, b Listed) int { return strings.Compare(a.Name, b.Name) }), nil
}

// looksAtMost is how often a job is looked at that cannot be read.
const looksAtMost = 2

// lookAt looks at the jobs of these names. An error says that ctx is done.
func lookAt(ctx context.Context, opts topic.Options, names []string, into map[string]Listed) error {
	seen := make([]Listed, len(names))
	var looking errgroup.Group
	looking.SetLimit(looksAtOnce)
	for i, name := range names {
		looking.Go(func() error {
			job := Job{Kafka: opts, Name: name, Group: GroupOf(name), Journal: JournalOf(name)}
			s, err := job.Look(ctx)
			switch {
			case err != nil:
				seen[i] = Listed{Name: name, Err: fmt.Errorf("look at backfill %s: %w", name, err)}
			case s.Plan != nil:
				seen[i] = Listed{Name: name, State: s, Progress: s.Progress()}
			default:
				seen[i] = Listed{Name: name, State: s}
			}
			return context.Cause(ctx)
		})
	}
	if err := looking.Wait(); err != nil {
		return err
	}
	for _, l := range seen {
		into[l.Name] = l
	}
	return nil
}

// looksAtOnce is how many jobs are looked at together. Each takes some round trips, and nothing else.
const looksAtOnce = 8

func names(ctx context.Context, opts topic.Options) ([]string, error) {
	client, err := broker.Open(ctx, opts...)
	if err != nil {
		return nil, err
	}
	defer client.Close()
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
		for _, suffix := range []string{strings.TrimPrefix(JournalOf(""), Prefix), filesSuffix, fillSuffix} {
			name, ours := strings.CutPrefix(t, Prefix)
			name, whole := strings.CutSuffix(name, suffix)
			if ours && whole {
				find(name)
			}
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}
