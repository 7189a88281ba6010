package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/retry"
)

// A finding rests on an answer. A question that was not asked, or whose answer was an error, proves nothing, and advice
// that costs memory or documents needs two proofs.

// presence is what Kafka answered about a topic.
type presence uint8

const (
	unknown presence = iota // it was not asked, or the answer was an error
	there
	gone
)

// find asks for a topic. The error wraps broker.ErrMissing if Kafka answers that there is none.
func (p *target) find(ctx context.Context, name string) (broker.Topic, error) {
	found, err := p.topics.Describe(ctx, name)
	switch {
	case errors.Is(err, broker.ErrMissing):
		p.topic[name] = gone
		return broker.Topic{}, err
	case err != nil:
		p.topic[name] = unknown
		return broker.Topic{}, err
	}
	p.topic[name] = there
	return found[0], nil
}

// existing returns those of the topics that exist.
func (p *target) existing(names ...string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return p.topic[name] != there })
}

// twice looks, and looks a second time where a finding would cost something. Of such findings it keeps those that both
// looks have: a member that trims the journal or commits meanwhile makes no finding.
func (p *target) twice(ctx context.Context, look func(*target, context.Context) ([]Finding, error)) ([]Finding, error) {
	first, err := look(p, ctx)
	if err != nil || !slices.ContainsFunc(first, func(f Finding) bool { return f.costs != "" }) {
		return withoutCostly(first, nil), err
	}
	if err := retry.Pause(ctx, coordinatorPause); err != nil {
		return withoutCostly(first, nil), err
	}
	if p.in.after != nil {
		p.in.after()
	}
	second, err := look(p, ctx)
	if err != nil {
		first = nil
	}
	return withoutCostly(second, first), err
}

// withoutCostly leaves out what would cost something, and is not among the proven.
func withoutCostly(all, proven []Finding) []Finding {
	return slices.DeleteFunc(all, func(f Finding) bool {
		return f.costs != "" && !slices.ContainsFunc(proven, func(g Finding) bool { return g.costs == f.costs })
	})
}

// goneEverywhere asks each broker for a topic that one of them does not know, as one that has just started may not.
func (p *target) goneEverywhere(ctx context.Context, name string) (bool, error) {
	brokers, err := p.admin.ListBrokers(ctx)
	if err != nil {
		return false, fmt.Errorf("list brokers: %w", err)
	}
	for _, b := range brokers {
		req, t := kmsg.NewPtrMetadataRequest(), kmsg.NewMetadataRequestTopic()
		t.Topic = &name
		req.Topics = append(req.Topics, t)
		resp, err := p.client.Broker(int(b.NodeID)).RetriableRequest(ctx, req)
		if err != nil {
			return false, fmt.Errorf("ask broker %d for topic %s: %w", b.NodeID, name, err)
		}
		for _, t := range resp.(*kmsg.MetadataResponse).Topics {
			switch err := kerr.ErrorForCode(t.ErrorCode); {
			case err == nil:
				return false, nil
			case !errors.Is(err, kerr.UnknownTopicOrPartition):
				return false, fmt.Errorf("ask broker %d for topic %s: %w", b.NodeID, name, err)
			}
		}
	}
	return len(brokers) > 0, nil
}

// acceptGap is the advice to go on with an empty memory. The id is that of the journal's topic; zero: it is gone. It is
// given only where Kafka answers that nobody is at work: whoever is remembers, and has the journal and the snapshots
// that cannot be seen from here.
func (p *target) acceptGap(ctx context.Context, where string, id [16]byte) string {
	described, err := p.admin.DescribeGroups(ctx, p.in.Params.Group)
	g := described[p.in.Params.Group]
	switch {
	case err != nil || g.Err != nil && !broker.NoGroup(g.Err):
		return "; look again when the group can be seen"
	case len(g.Members) > 0:
		return fmt.Sprintf("; nothing may be given up while the group has %s", several(len(g.Members), "session"))
	case id == [16]byte{}:
		return "; " + where + ", start: " + journal.NextGap
	}
	return "; " + where + ", start once with --accept-journal-gap " + protocol.JournalGap(p.in.Journal.Topic, id, p.tail.start)
}
