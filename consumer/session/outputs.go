package session

import (
	"context"
	"time"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/sink"
)

// Wants says what the topics must be that are written for a source topic: first those that take its documents, then
// that of the verdicts. A start and each assignment have them made so.
func Wants(out *sink.Params, mode protocol.Mode, source broker.Topic) []broker.OutputsWant {
	if out.DryRun {
		return nil
	}
	source.Partitions = mode.Partitions(source.Name, source.Partitions)
	outputs := broker.OutputsWant{
		Source: source, Names: out.Outputs(source.Name), Create: out.Create,
		ReplicationFactor: out.ReplicationFactor, MaxRecordBytes: int(out.MaxRecordBytes), KeepPast: mode.Finite(),
	}
	topic := out.VerdictsTopic(source.Name)
	if topic == "" {
		return []broker.OutputsWant{outputs}
	}
	verdicts := outputs
	verdicts.Names, verdicts.MaxRecordBytes, verdicts.Why = []string{topic}, sink.MaxVerdictBytes, sink.WhyVerdictBytes
	return []broker.OutputsWant{outputs, verdicts}
}

const (
	// outputsPatience is how long outputs may be missing or too narrow where only a person can mend that: a broker that
	// has just begun does not know all of a topic, and a person may be about to make it again.
	outputsPatience = 15 * time.Second
	outputsPause    = 250 * time.Millisecond
)

// fitOutputs makes the outputs of the partitions fit for what is forwarded to them: since the start partitions may have
// been added to the source, or outputs deleted. All sessions do so at the same time. It tries again after an error, and
// meanwhile the session waits. Where outputs do not fit and may not be changed, the process ends. A topic that
// source.pattern brings is given up instead, and tried again when topics are looked for.
func (t *takeovers) fitOutputs(ctx context.Context, of []topicPartition) error {
	topics := broker.NewTopics(t.Cluster.Client, t.Logger)
	wants := map[string][]broker.OutputsWant{}
	for topic, list := range cluster.ByTopic(of) {
		wants[topic] = Wants(&t.Sink, t.Mode, broker.Topic{Name: topic, Partitions: width(list)})
	}
	unfit := ""
	return retry.While(ctx, outputsPause, func() error {
		for topic, all := range wants {
			if err := topics.FitOutputs(ctx, all...); err != nil {
				unfit = topic
				return err
			}
			delete(wants, topic)
		}
		return nil
	}, func(err error, since time.Duration) bool {
		t.tells.tellUnfit(of, unfit, err, since+t.Ahead)
		if !broker.Unfit(err) || since+t.Ahead < outputsPatience {
			return true
		}
		if t.Sources.passing(unfit) {
			t.Sources.Drop(unfit)
		} else {
			_ = t.mail.stop(&stop.Error{
				What: "the outputs of " + unfit + " are not ready", Err: err,
				Remedy: "mend them as it says, or have unecho do so (sink.create, and the rights Create and Alter); then start again",
			})
		}
		return false
	})
}

// width is how many partitions a topic has at least, as the group gave them or the broker says: either may be older.
func width(list []topicPartition) (n int) {
	for _, tp := range list {
		n = max(n, int(tp.Partitions), int(tp.Source.Partition)+1)
	}
	return n
}

// tellUnfit says that partitions wait for the outputs of a topic.
func (t *adviser) tellUnfit(of []topicPartition, topic string, err error, since time.Duration) {
	tell := false
	for _, tp := range of {
		why := "the outputs of " + topic + " are not ready"
		tell = t.standing.waitsFor(tp.Name(), why, since) || tell
	}
	if tell {
		t.Logger.Warn().Str("session", t.slot).Str("topic", topic).Err(err).
			Msg("the outputs of a topic are not ready: the partitions that were given wait, and it is tried again")
	}
}
