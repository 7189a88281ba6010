package audit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
)

// Untaken returns those of the topics that a pattern brings which the group has not taken up: one of the outputs is not
// there, and may have a name that Kafka does not take, and the group has committed nothing of the topic. So there is
// nothing of them to be found in outputs, and they are no reason to audit nothing. An output that is missing of a topic
// that was read is one. Brought has the outputs by source topic.
func Untaken(ctx context.Context, opts []kgo.Opt, group string, brought map[string][]string) ([]string, error) {
	if len(brought) == 0 {
		return nil, nil
	}
	client, err := broker.Open(ctx, opts...)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	found, err := admin.ListTopics(ctx, slices.Concat(slices.Collect(maps.Values(brought))...)...)
	if err != nil {
		return nil, fmt.Errorf("look for outputs: %w", err)
	}
	var without []string
	for _, source := range slices.Sorted(maps.Keys(brought)) {
		missing := func(output string) bool {
			err := found[output].Err
			return errors.Is(err, kerr.UnknownTopicOrPartition) || errors.Is(err, kerr.InvalidTopicException)
		}
		if slices.ContainsFunc(brought[source], missing) {
			without = append(without, source)
		}
	}
	if len(without) == 0 {
		return nil, nil
	}
	committed, err := broker.Committed(ctx, admin, group)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(without, func(source string) bool { return len(committed[source]) > 0 }), nil
}

// taken returns the sources that have outputs.
func (a *audit) taken() []string {
	untaken := func(source string) bool { return slices.Contains(a.in.Untaken, source) }
	return slices.DeleteFunc(slices.Clone(a.in.Sources), untaken)
}
