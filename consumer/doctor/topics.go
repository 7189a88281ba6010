package doctor

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/sink"
)

// allTopics checks sources, journal and outputs, as a start would. It also reports what a start lets pass.
func (p *target) allTopics(ctx context.Context) (findings []Finding, err error) {
	p.topic = map[string]presence{}
	findings = withUnseen(p.findSources(ctx))
	p.must, err = demand(ctx, p)
	findings = withUnseen(findings, err)
	for _, name := range p.sources {
		if ctx.Err() != nil {
			return findings, ctx.Err()
		}
		findings = append(findings, withUnseen(p.sourceAndOutputs(ctx, name))...)
	}
	return append(findings, withUnseen(p.journal(ctx))...), nil
}

// withUnseen returns the findings about a topic, and what could not be seen of it: the others are looked at all the
// same.
func withUnseen(findings []Finding, err error) []Finding {
	if err == nil {
		return findings
	}
	return append(findings, unseen(err))
}

// mostNamed bounds how many topics a finding names.
const mostNamed = 10

// findSources finds the topics that the pattern brings, and says which it fits that are not read.
func (p *target) findSources(ctx context.Context) ([]Finding, error) {
	choice, err := routing.Choose(p.in.Sources, p.in.Sink, p.in.Journal.Topic)
	if err != nil || !choice.Open() {
		p.sources, p.named = document.Named(p.in.Sources), err == nil
		return nil, err
	}
	existing, err := routing.Existing(ctx, p.admin)
	if err != nil {
		return nil, err
	}
	p.sources = choice.Among(existing)
	brought := len(p.sources) - len(document.Named(p.in.Sources))
	var not []string
	for _, topic := range existing {
		if why := choice.Excluded(topic); why != "" {
			not = append(not, topic+" ("+why+")")
		}
	}
	said := fmt.Sprintf("sources.pattern %s brings %s", choice.Patterns(), several(brought, "topic"))
	if len(not) > 0 {
		more := ""
		if len(not) > mostNamed {
			more = fmt.Sprintf(" and %d more", len(not)-mostNamed)
		}
		said += "; it fits others that are not read: " + strings.Join(not[:min(len(not), mostNamed)], ", ") + more
	}
	if brought == 0 {
		return []Finding{note(said, "nothing is read by it until there is a topic that fits",
			"nothing if they are to come; else correct it, or grant the right Describe on them")}, nil
	}
	return []Finding{fine(said)}, nil
}

func (p *target) sourceAndOutputs(ctx context.Context, name string) ([]Finding, error) {
	source, err := p.find(ctx, name)
	if errors.Is(err, broker.ErrMissing) {
		return []Finding{problem("source "+name+" does not exist", "there is nothing to read", remedyOf(err))}, nil
	}
	if err != nil {
		return nil, err
	}
	findings := []Finding{fine("source " + name + ": " + shape(source))}
	err = p.topics.CheckSource(ctx, name, int(p.in.Params.FetchBytes))
	if wrong, ok := mistakes(err); ok {
		findings, err = append(findings, wrong...), nil
	}
	findings = append(withUnseen(findings, err), withUnseen(p.durable(ctx, source, "documents"))...)
	return append(findings, p.outputsOf(ctx, source)...), nil
}

// demand finds how large a record outputs must take, as the start does. It asks the sources.
func demand(ctx context.Context, p *target) (int, error) {
	most := int(p.in.Sink.MaxRecordBytes)
	if !p.named || p.in.Sink.MaxRecordBytes > sink.DefaultParams().MaxRecordBytes {
		return most, nil
	}
	for _, name := range p.sources {
		if _, err := p.find(ctx, name); err != nil {
			return most, nil //nolint:nilerr // it is a finding about that source
		}
	}
	largest, err := p.topics.Largest(ctx, p.sources, most)
	return max(largest, int(sink.MinRecordBytes)), err
}

func (p *target) outputsOf(ctx context.Context, source broker.Topic) (findings []Finding) {
	_, _, rejected := p.in.Sink.Topics(source.Name)
	most := int(p.in.Sink.MaxRecordBytes)
	for _, output := range p.in.Sink.Outputs(source.Name) {
		findings = append(findings, withUnseen(p.output(ctx, broker.OutputsWant{
			Source: source, Names: []string{output}, MaxRecordBytes: most, MustTake: p.must, Config: p.in.Sink.Create.Config,
		}, "verdicts"))...)
		if output != rejected && p.topic[output] == there {
			findings = append(findings, withUnseen(p.untimely(ctx, source.Name, output))...)
		}
	}
	if verdicts := p.in.Sink.VerdictsTopic(source.Name); verdicts != "" {
		findings = append(findings, withUnseen(p.output(ctx, broker.OutputsWant{
			Source: source, Names: []string{verdicts}, MaxRecordBytes: sink.MaxVerdictBytes, Why: sink.WhyVerdictBytes,
		}, "records"))...)
	}
	if clusters := p.in.Sink.ClustersTopic(source.Name); clusters != "" {
		findings = append(findings, withUnseen(p.output(ctx, broker.OutputsWant{
			Source: source, Names: []string{clusters}, MaxRecordBytes: sink.MaxClusterBytes, Why: sink.WhyClusterBytes, Compacted: true,
		}, "records"))...)
	}
	return findings
}

// untimely compares the timestamps that an output accepts with those that its source accepts.
func (p *target) untimely(ctx context.Context, source, output string) (findings []Finding, err error) {
	from, err := p.topics.Times(ctx, source)
	if err != nil && !forbidden(err) {
		return nil, err
	}
	to, err := p.topics.Times(ctx, output)
	if err != nil {
		return nil, err
	}
	for _, m := range p.topics.Untimely(source, output, from, to) {
		findings = append(findings, note("topic "+output+": "+m.What, m.Why, m.Remedy))
	}
	return findings, nil
}

// output checks a topic. Holds says what of: documents with their verdicts, or records of another kind.
func (p *target) output(ctx context.Context, want broker.OutputsWant, holds string) ([]Finding, error) {
	name := want.Names[0]
	topic, err := p.find(ctx, name)
	if err != nil && !errors.Is(err, broker.ErrMissing) {
		return nil, err
	}
	var findings []Finding
	if has, source := topic.Partitions, want.Source; err == nil && p.in.Sink.Create.Enabled && has < source.Partitions {
		findings = append(findings, note(
			fmt.Sprintf("output %s has %d partitions, and %s has %d", name, has, source.Name, source.Partitions),
			"a record goes to the partition of the same number", "nothing: members add partitions (outputs.create.enabled)"))
		want.Source.Partitions = has
	}
	found, err := p.topics.EnsureOutputs(ctx, want)
	if errors.Is(err, broker.ErrMissing) {
		return []Finding{missing("output "+name, p.in.Sink.Create.Enabled, "outputs.create.enabled", err)}, nil
	}
	if wrong, ok := mistakes(err); ok {
		return append(findings, wrong...), nil
	}
	if err != nil {
		return nil, err
	}
	findings = append(findings, fine("output "+name+": "+shape(found[0])))
	more, err := p.durable(ctx, found[0], holds)
	return append(findings, more...), err
}

func (p *target) journal(ctx context.Context) ([]Finding, error) {
	name := p.in.Journal.Topic
	want := broker.JournalWant{
		ReplicationFactor: p.in.Sink.Create.ReplicationFactor,
		MaxMessageBytes:   p.in.Journal.MaxRecordBytes(),
	}
	if _, err := p.find(ctx, name); err != nil && !errors.Is(err, broker.ErrMissing) {
		return nil, err
	}
	topic, err := p.topics.VerifyJournal(ctx, name, want)
	if errors.Is(err, broker.ErrMissing) {
		return []Finding{missing("journal "+name, p.in.Sink.Create.Enabled, "outputs.create.enabled", err)}, nil
	}
	if findings, ok := mistakes(err); ok {
		return findings, nil
	}
	if err != nil {
		return nil, err
	}
	findings := []Finding{fine("journal " + name + ": " + shape(topic))}
	if topic.Partitions > 1 {
		findings = append(findings, note(fmt.Sprintf("journal %s has %d partitions", name, topic.Partitions),
			"only partition 0 is used: it is one total order", "nothing; partitions cannot be taken away"))
	}
	more, err := p.durable(ctx, topic, "decisions")
	return append(findings, more...), err
}

func shape(t broker.Topic) string {
	return several(t.Partitions, "partition") + ", " + several(t.Replicas, "replica")
}

func missing(what string, create bool, setting string, err error) Finding {
	if create {
		return note(what+" does not exist", "the first start creates it: "+setting+" is set",
			"nothing, if the service has never run")
	}
	return problem(what+" does not exist", "the service does not start without it", remedyOf(err))
}

// mistakes returns the mistakes that a start would refuse, in the words of the package that refuses them.
func mistakes(err error) (findings []Finding, ok bool) {
	var wrong *broker.TopicError
	if !errors.As(err, &wrong) {
		return nil, false
	}
	for _, m := range wrong.Mistakes {
		findings = append(findings, problem("topic "+wrong.Topic+": "+m.What, m.Why, m.Remedy))
	}
	return findings, true
}

func remedyOf(err error) string {
	var fault *broker.Fault
	if errors.As(err, &fault) {
		return fault.Remedy
	}
	return ""
}

// durable checks settings that a start lets pass: how far a topic survives the loss of brokers, and whether it would
// replace documents' times or drop documents.
func (p *target) durable(ctx context.Context, topic broker.Topic, holds string) (findings []Finding, err error) {
	settings, err := p.topics.Settings(ctx, topic.Name)
	if forbidden(err) {
		return []Finding{unseen(err)}, nil
	}
	if err != nil {
		return nil, err
	}
	of := "topic " + topic.Name + ": "
	if topic.Replicas < 2 && p.brokers > 1 {
		findings = append(findings, note(of+"1 replica", "its "+holds+" are lost with that broker's disk",
			"have 3 brokers hold it (kafka-reassign-partitions.sh)"))
	}
	if insync, err := strconv.Atoi(settings["min.insync.replicas"]); err == nil && topic.Replicas > 2 && insync < 2 {
		findings = append(findings, note(of+"min.insync.replicas is 1",
			"what one broker alone has taken counts as written, and is lost with it",
			p.topics.ConfigCommand(topic.Name, "min.insync.replicas", "2")))
	}
	if settings["unclean.leader.election.enable"] == "true" {
		findings = append(findings, note(of+"unclean.leader.election.enable is true",
			"a broker that lags may become the leader, and "+holds+" that were acknowledged are gone",
			p.topics.ConfigCommand(topic.Name, "unclean.leader.election.enable", "false")))
	}
	if holds != "verdicts" {
		return findings, nil
	}
	if settings["message.timestamp.type"] == "LogAppendTime" {
		findings = append(findings, note(of+"message.timestamp.type is LogAppendTime",
			"the documents' own times are replaced", p.topics.ConfigCommand(topic.Name, "message.timestamp.type", "CreateTime")))
	}
	if strings.Contains(settings["cleanup.policy"], "compact") {
		findings = append(findings, note(of+"cleanup.policy is "+settings["cleanup.policy"],
			"documents of equal keys are dropped, and those without a key refused",
			p.topics.ConfigCommand(topic.Name, "cleanup.policy", "delete")))
	}
	return findings, nil
}
