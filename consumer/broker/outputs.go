package broker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
)

// OutputsWant says what the output topics of a source must be.
type OutputsWant struct {
	Source            Topic
	Names             []string
	Create            bool // create the missing ones
	ReplicationFactor int  // of created topics; 0 or less: the broker's default
	// Config are configurations of created topics. What a backfill needs to be kept outranks them.
	Config         map[string]string
	MaxRecordBytes int  // created topics accept record batches of this size
	MustTake       int  // and all of this size; 0: of MaxRecordBytes
	Compacted      bool // the topics must be compacted alone, whatever Config says
	KeepPast       bool // the topics must keep records for as long as the source does
	// Why says why they must accept that size; empty: because of advanced.max_document_bytes.
	Why string
}

// whyTake says why outputs must accept as much as they do.
const whyTake = "records as large as the source accepts must go through, up to 1 MiB or advanced.max_document_bytes"

// kafkaMaxMessageBytes is Kafka's default for max.message.bytes.
const kafkaMaxMessageBytes = 1048588

// cleanupPolicy says whether Kafka deletes records by age and size, or compacts them by key.
const cleanupPolicy = "cleanup.policy"

// FitOutputs makes the output topics fit for their sources. If allowed, it creates missing ones with the partition count
// of the source, and widens narrow ones, because a record goes to the partition of the same number. Others may do the
// same at the same time: what somebody else has done is done. All mistakes of all topics are returned at once.
func (t *Topics) FitOutputs(ctx context.Context, wants ...OutputsWant) error {
	_, err := t.outputs(ctx, wants, func(_ context.Context, topic *Topic, want OutputsWant) error {
		if narrow := t.narrow(*topic, want); narrow != nil {
			return &TopicError{Topic: topic.Name, Mistakes: narrow}
		}
		return nil
	})
	return err
}

// EnsureOutputs makes the output topics fit, and demands that they accept the largest record. It returns them in the
// order of their names.
func (t *Topics) EnsureOutputs(ctx context.Context, wants ...OutputsWant) ([]Topic, error) {
	return t.outputs(ctx, wants, t.checkOutput)
}

// Unfit says whether output topics are missing or too narrow, and stay so until a person comes, because they may not be
// created or widened.
func Unfit(err error) bool {
	var wrong *TopicError
	return errors.As(err, &wrong) || errors.Is(err, ErrMissing) || Forbidden(err) || errors.Is(err, kerr.PolicyViolation)
}

// outputs makes the topics fit, and checks each.
func (t *Topics) outputs(ctx context.Context, wants []OutputsWant,
	check func(context.Context, *Topic, OutputsWant) error,
) ([]Topic, error) {
	var names []string
	for _, want := range wants {
		names = append(names, want.Names...)
	}
	found, err := t.find(ctx, names)
	if err != nil {
		return nil, err
	}
	var out []Topic
	var wrong []error
	for _, want := range wants {
		for _, name := range want.Names {
			topic, err := t.fit(ctx, name, found, want)
			if err == nil {
				err = check(ctx, &topic, want)
			}
			out, wrong = append(out, topic), append(wrong, err)
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	return out, nil
}

// fit returns a topic that may be missing or too narrow, mended if that is allowed.
func (t *Topics) fit(ctx context.Context, name string, found map[string]Topic, want OutputsWant) (topic Topic, err error) {
	topic, ok := found[name]
	if !ok {
		topic, err = t.createOutput(ctx, name, want)
	}
	if err != nil || !want.Create || topic.Partitions >= want.Source.Partitions {
		return topic, err
	}
	return t.widen(ctx, name, want.Source.Partitions)
}

func (t *Topics) createOutput(ctx context.Context, name string, want OutputsWant) (Topic, error) {
	configs := map[string]string{"max.message.bytes": strconv.Itoa(max(want.MaxRecordBytes, kafkaMaxMessageBytes))}
	if err := t.takeTimesOf(ctx, want.Source.Name, configs); err != nil {
		return Topic{}, err
	}
	maps.Copy(configs, want.Config)
	if most, err := strconv.Atoi(configs[maxMessageBytes]); err == nil && most < want.MustTake {
		return Topic{}, &TopicError{Topic: name, Mistakes: []Mistake{{
			What: fmt.Sprintf("outputs.create.config would give it max.message.bytes %d, and it must be at least %d", most, want.MustTake),
			Why:  whyTake, Remedy: fmt.Sprintf("write %d there, or leave max.message.bytes out", want.MustTake),
		}}}
	}
	if want.KeepPast {
		kept, err := t.sourceRetention(ctx, want.Source.Name)
		if err != nil {
			return Topic{}, err
		}
		maps.Copy(configs, kept)
	}
	if want.Compacted {
		configs[cleanupPolicy] = "compact"
	}
	if !want.Create {
		return Topic{}, &Fault{
			What: "cannot find the output " + name, Err: ErrMissing,
			Remedy: "set outputs.create.enabled: true, or create it: " + t.createCommand(name, want.Source.Partitions, want.ReplicationFactor, configs),
		}
	}
	return t.create(ctx, name, want.Source.Partitions, want.ReplicationFactor, configs)
}

func (t *Topics) checkOutput(ctx context.Context, topic *Topic, want OutputsWant) error {
	mistakes := t.narrow(*topic, want)
	rules := []configRule{{
		key: maxMessageBytes, want: strconv.Itoa(cmp.Or(want.MustTake, want.MaxRecordBytes)), least: true,
		why: cmp.Or(want.Why, whyTake),
	}}
	if want.Compacted {
		rules = append(rules, configRule{
			key: cleanupPolicy, want: "compact",
			why: "it keeps the latest record of each original, and Kafka would delete them by age or size (outputs.clusters)",
		})
	}
	more, err := t.check(ctx, topic.Name, rules)
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
	configs, err := t.Settings(ctx, topic.Name)
	if err != nil {
		return err
	}
	topic.MaxMessageBytes, _ = strconv.Atoi(configs[maxMessageBytes])
	t.warnOutput(topic.Name, configs, want)
	return nil
}

// narrow is the mistake of a topic that has fewer partitions than the source.
func (t *Topics) narrow(topic Topic, want OutputsWant) []Mistake {
	if topic.Partitions >= want.Source.Partitions {
		return nil
	}
	return []Mistake{{
		What: fmt.Sprintf("it has %d partitions, and must have at least %d, as %s has",
			topic.Partitions, want.Source.Partitions, want.Source.Name),
		Why:    "a record goes to the partition of the same number",
		Remedy: t.widenCommand(topic.Name, want.Source.Partitions),
	}}
}

// warnOutput logs settings that a user may want, but that break a promise to the readers of the topic.
func (t *Topics) warnOutput(name string, configs map[string]string, want OutputsWant) {
	if configs["message.timestamp.type"] == "LogAppendTime" {
		t.log.Warn().Str("topic", name).Str("setting", "message.timestamp.type=LogAppendTime").
			Str("remedy", "if readers want the documents' own time, set CreateTime").
			Msg("the output topic replaces the documents' timestamps")
	}
	if !want.Compacted && strings.Contains(configs[cleanupPolicy], "compact") {
		t.log.Warn().Str("topic", name).Str("setting", "cleanup.policy="+configs["cleanup.policy"]).
			Str("remedy", "set cleanup.policy=delete").
			Msg("the output topic is compacted: it drops documents of equal keys, and refuses those without a key")
	}
}

// The settings by which Kafka deletes old records, each with a value that means never.
const (
	retentionTime  = "retention.ms"
	retentionBytes = "retention.bytes"
	unlimited      = -1
)

// retention is how long a topic keeps its records: milliseconds by their own time, and bytes of a partition. -1 is no
// bound.
type retention map[string]int64

func retentionOf(configs map[string]string) retention {
	r := retention{retentionTime: unlimited, retentionBytes: unlimited}
	if !strings.Contains(configs["cleanup.policy"], "delete") {
		return r // compaction alone deletes nothing for its age
	}
	for key := range r {
		if v, err := strconv.ParseInt(configs[key], 10, 64); err == nil {
			r[key] = v
		}
	}
	if configs["message.timestamp.type"] == "LogAppendTime" {
		r[retentionTime] = unlimited // it begins when a record is written
	}
	return r
}

// shorter returns the settings by which r keeps less than other, in a fixed order.
func (r retention) shorter(other retention) (keys []string) {
	for _, key := range []string{retentionTime, retentionBytes} {
		if r[key] >= 0 && (other[key] < 0 || other[key] > r[key]) {
			keys = append(keys, key)
		}
	}
	return keys
}

// sourceRetention returns how long the source keeps its records, as settings of an output.
func (t *Topics) sourceRetention(ctx context.Context, source string) (map[string]string, error) {
	configs, err := t.Settings(ctx, source)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for key, v := range retentionOf(configs) {
		out[key] = strconv.FormatInt(v, 10)
	}
	return out, nil
}

// forgetful returns what is wrong with an output that would delete documents of the past as soon as they are forwarded,
// because it keeps records for a shorter time than their source.
func (t *Topics) forgetful(ctx context.Context, output string, source Topic) (mistakes []Mistake, err error) {
	from, err := t.Settings(ctx, source.Name)
	if err != nil {
		return nil, err
	}
	to, err := t.Settings(ctx, output)
	if err != nil {
		return nil, err
	}
	want := retentionOf(from)
	for _, key := range retentionOf(to).shorter(want) {
		value := strconv.FormatInt(want[key], 10)
		mistakes = append(mistakes, Mistake{
			What:   fmt.Sprintf("%s is %s, and must be at least that of %s, which is %s", key, to[key], source.Name, value),
			Why:    "documents keep their times: Kafka would delete old ones as soon as they are forwarded",
			Remedy: t.ConfigCommand(output, key, value),
		})
	}
	return mistakes, nil
}
