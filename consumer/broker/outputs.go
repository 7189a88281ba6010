package broker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// OutputsWant says what the output topics of a source must be.
type OutputsWant struct {
	Source            Topic
	Names             []string
	Create            bool // create the missing ones
	ReplicationFactor int  // of created topics; 0 or less: the broker's default
	MaxRecordBytes    int  // the topics must accept record batches of this size
	KeepPast          bool // the topics must keep records for as long as the source does
	// Why says why they must accept that size; empty: because of sink.max_record_bytes.
	Why string
}

// kafkaMaxMessageBytes is Kafka's default for max.message.bytes.
const kafkaMaxMessageBytes = 1048588

// EnsureOutputs returns the output topics in the order of their names. If allowed, it creates missing ones with the
// partition count of the source. Existing ones must have at least as many partitions, because a record goes to the
// partition of the same number, and must accept the largest record. All mistakes of all topics are returned at once.
func (t *Topics) EnsureOutputs(ctx context.Context, want OutputsWant) ([]Topic, error) {
	found, err := t.find(ctx, want.Names)
	if err != nil {
		return nil, err
	}
	var out []Topic
	var wrong []error
	for _, name := range want.Names {
		topic, ok := found[name]
		if !ok {
			topic, err = t.createOutput(ctx, name, want)
		}
		if err == nil {
			err = t.checkOutput(ctx, topic, want)
		}
		if err != nil {
			wrong = append(wrong, err)
			err = nil
			continue
		}
		out = append(out, topic)
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return out, nil
}

func (t *Topics) createOutput(ctx context.Context, name string, want OutputsWant) (Topic, error) {
	replicas := -1
	if want.ReplicationFactor > 0 {
		replicas = want.ReplicationFactor
	}
	configs := map[string]string{}
	if want.KeepPast {
		var err error
		if configs, err = t.sourceRetention(ctx, want.Source.Name); err != nil {
			return Topic{}, err
		}
	}
	if err := t.takeTimesOf(ctx, want.Source.Name, configs); err != nil {
		return Topic{}, err
	}
	configs["max.message.bytes"] = strconv.Itoa(max(want.MaxRecordBytes, kafkaMaxMessageBytes))
	if !want.Create {
		return Topic{}, &Fault{
			What: "cannot find the output " + name, Err: ErrMissing,
			Remedy: "set sink.create: true, or create it: " + t.createCommand(name, want.Source.Partitions, replicas, configs),
		}
	}
	return t.create(ctx, name, want.Source.Partitions, replicas, configs)
}

func (t *Topics) checkOutput(ctx context.Context, topic Topic, want OutputsWant) error {
	var mistakes []Mistake
	if topic.Partitions < want.Source.Partitions {
		mistakes = append(mistakes, Mistake{
			What: fmt.Sprintf("it has %d partitions, and must have at least %d, as %s has",
				topic.Partitions, want.Source.Partitions, want.Source.Name),
			Why: "a record goes to the partition of the same number",
			Remedy: fmt.Sprintf("kafka-topics.sh --bootstrap-server %s --alter --topic %s --partitions %d",
				t.server, topic.Name, want.Source.Partitions),
		})
	}
	more, err := t.check(ctx, topic.Name, []configRule{{
		key: "max.message.bytes", want: strconv.Itoa(want.MaxRecordBytes), least: true,
		why: cmp.Or(want.Why, "records of up to sink.max_record_bytes must go through; lowering that would do, too"),
	}})
	if err != nil {
		return err
	}
	mistakes = append(mistakes, more...)
	if want.KeepPast {
		more, err := t.forgetful(ctx, topic.Name, want.Source)
		if err != nil {
			return err
		}
		mistakes = append(mistakes, more...)
	}
	if len(mistakes) > 0 {
		return &TopicError{Topic: topic.Name, Mistakes: mistakes}
	}
	return t.warnOutput(ctx, topic.Name)
}

// warnOutput logs settings that a user may want, but that break a promise to the readers of the topic.
func (t *Topics) warnOutput(ctx context.Context, name string) error {
	configs, err := t.Settings(ctx, name)
	if err != nil {
		return err
	}
	if configs["message.timestamp.type"] == "LogAppendTime" {
		t.log.Warn().Str("topic", name).Str("setting", "message.timestamp.type=LogAppendTime").
			Msg("the output topic replaces the documents' timestamps")
	}
	if strings.Contains(configs["cleanup.policy"], "compact") {
		t.log.Warn().Str("topic", name).Str("setting", "cleanup.policy="+configs["cleanup.policy"]).
			Msg("the output topic is compacted: it drops documents of equal keys, and refuses those without a key")
	}
	return nil
}
