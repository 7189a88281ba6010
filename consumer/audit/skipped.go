package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/entry"
)

// Skip is a stretch of a source partition that the group left out, because somebody else has committed an offset beyond
// it: another program in the group, or a person. Nobody judged what is in it.
type Skip struct {
	entry.PartitionName
	From    int64  `json:"from"`
	To      int64  `json:"to"` // the offset behind the last
	Records int    `json:"records"`
	Command string `json:"command"` // has them judged; no member may run
}

// String is the stretch in one line.
func (s *Skip) String() string {
	return fmt.Sprintf("%v: offsets %d to %d, %d records, were judged by nobody; stop all members, and then: %s; what was forwarded since comes out again",
		s.PartitionName, s.From, s.To-1, s.Records, s.Command)
}

// leftOut says that the group's offset was set beyond an offset that no pass has had. Of what passes that ended before
// the snapshot have had, nothing is known.
func (s *stream) leftOut(offset int64, fromStart bool) bool {
	return slices.ContainsFunc(s.gaps(fromStart), func(g span) bool { return g.has(offset) })
}

// trimmed notes whose outputs do not hold all that was ever written there. What an earlier journal decided may have been
// in them, so that nothing is known of what lies before the first pass.
func (a *audit) trimmed(outputs topic.Range) {
	for _, s := range a.sources {
		unique, duplicate, rejected := a.in.Outputs(s.Topic)
		for _, name := range []string{unique, duplicate, rejected} {
			s.cut = s.cut || outputs[entry.Name(name, s.Partition)].From > 0
		}
	}
}

// gaps are the offsets between passes, and before the first one if the source is read from its start.
func (s *stream) gaps(fromStart bool) (gaps []span) {
	for i := range s.passes {
		switch start := s.passes[i].start; {
		case s.passes[i].unknown():
		case i == 0 && fromStart && !s.cut:
			gaps = append(gaps, span{0, start})
		case i > 0 && !s.passes[i-1].unknown():
			gaps = append(gaps, span{s.passes[i-1].base, start})
		}
	}
	return gaps
}

// begins notes where a routing has sources begin that are new.
func (a *audit) begins(routed []byte) {
	plan, err := routing.PlanOf(routed)
	a.startsKnown, a.latest = true, a.latest || len(routing.Latest(routed)) > 0 || plan != nil || err != nil
}

// skipped counts a record that was left out. Those of a stretch come one after the other.
func (a *audit) skipped(g *group) {
	a.report.Skipped++
	if a.in.AcceptSkipped || !g.stream.leftOut(g.offset, a.startsKnown && !a.latest) {
		return
	}
	if n := len(a.report.Skips); n > 0 {
		last := &a.report.Skips[n-1]
		if last.PartitionName == g.stream.PartitionName && !g.stream.begunBetween(last.To, g.offset) {
			last.To, last.Records = g.offset+1, last.Records+1
			return
		}
	}
	a.report.Skips = append(a.report.Skips, Skip{
		PartitionName: g.stream.PartitionName, From: g.offset, To: g.offset + 1, Records: 1,
		Command: fmt.Sprintf("kafka-consumer-groups.sh --bootstrap-server BROKER --group %s --topic %s:%d --reset-offsets --to-offset %d --execute",
			cmp.Or(a.in.Owner, a.in.Group), g.stream.Topic, g.stream.Partition, g.offset),
	})
}

// begunBetween says that a pass began in [from, to]: what lies on its two sides are two stretches.
func (s *stream) begunBetween(from, to int64) bool {
	return slices.ContainsFunc(s.passes, func(p epoch) bool { return p.start >= from && p.start <= to })
}

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

func (a *audit) taken() []string {
	untaken := func(source string) bool { return slices.Contains(a.in.Untaken, source) }
	return slices.DeleteFunc(slices.Clone(a.in.Sources), untaken)
}
