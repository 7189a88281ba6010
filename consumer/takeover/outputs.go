package takeover

import (
	"context"
	"time"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/outputs"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/stop"
)

const (
	// outputsPatience is how long outputs may be missing or too narrow where only a person can mend that: a broker that
	// has just begun does not know all of a topic, and a person may be about to make it again.
	outputsPatience = 15 * time.Second
	outputsPause    = 250 * time.Millisecond
)

// fitOutputs makes the outputs of the partitions fit for what is forwarded to them: since the start partitions may have
// been added to the source, or outputs deleted. All sessions do so at the same time. It tries again after an error, and
// meanwhile the session waits. Where outputs do not fit and may not be changed, the process ends. A topic that
// sources.pattern brings is given up instead, and tried again when topics are looked for.
func fitOutputs(ctx context.Context, of []protocol.TopicPartition, t *adviser) error {
	topics := broker.NewTopics(t.Cluster.Client, t.Logger)
	wants := map[string][]broker.OutputsWant{}
	for topic, list := range cluster.ByTopic(of) {
		wants[topic] = outputs.Wants(&t.Sink, t.Terms.Mode, broker.Topic{Name: topic, Partitions: width(list)})
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
		t.logUnfit(of, unfit, err, since+t.Ahead)
		if !broker.Unfit(err) || since+t.Ahead < outputsPatience {
			return true
		}
		if t.Topics.MatchedByPattern(unfit) {
			t.Topics.Drop(unfit)
		} else {
			_ = t.mail.Stop(&stop.Error{
				What: "the outputs of " + unfit + " are not ready", Err: err,
				Remedy: "correct them as it says, or let unecho do so (outputs.create.enabled, and the rights " +
					"Create and Alter); then start again",
			})
		}
		return false
	})
}

// width is how many partitions a topic has at least, as the group gave them or the broker says: either may be older.
func width(list []protocol.TopicPartition) (n int) {
	for _, tp := range list {
		n = max(n, int(tp.Partitions), int(tp.Source.Partition)+1)
	}
	return n
}
