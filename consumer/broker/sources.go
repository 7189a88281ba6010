package broker

import (
	"context"
	"fmt"
	"strconv"

	"github.com/unecho/unecho/index/setting"
)

// CheckSource compares the largest batch that a source topic accepts with what is fetched at a time, because a broker
// hands out one batch whatever its size. Without the right to look, it says so and passes.
func (t *Topics) CheckSource(ctx context.Context, name string, fetchBytes int) error {
	settings, err := t.Settings(ctx, name)
	if Forbidden(err) {
		t.log.Warn().Str("topic", name).Str("right", "DescribeConfigs").
			Msg("max.message.bytes of the source cannot be read: memory is bounded only if it is no more than is fetched at a time")
		return nil
	}
	if err != nil {
		return err
	}
	largest, err := strconv.Atoi(settings["max.message.bytes"])
	if err != nil || largest <= fetchBytes {
		return nil //nolint:nilerr // what the broker does not report, it does not have
	}
	return &TopicError{Topic: name, Mistakes: []Mistake{{
		What: fmt.Sprintf("max.message.bytes is %d, more than the %s that a session fetches at a time", largest, setting.Bytes(fetchBytes)),
		Why:  "one batch may take more memory than a session has for what it fetches",
		Remedy: fmt.Sprintf("%s; or set advanced.max_document_bytes: %s, as a fetch takes twice as much, and give the process "+
			"the memory for it", t.ConfigCommand(name, "max.message.bytes", strconv.Itoa(fetchBytes)), setting.Bytes(roundUp((largest+1)/2))),
	}}}
}

const maxMessageBytes = "max.message.bytes"

// Largest returns how large a batch may be that one of the topics accepts, or most if that is less or not known of all.
func (t *Topics) Largest(ctx context.Context, names []string, most int) (int, error) {
	largest := 0
	for _, name := range names {
		settings, err := t.Settings(ctx, name)
		if err != nil && !Forbidden(err) {
			return most, err
		}
		n, err := strconv.Atoi(settings[maxMessageBytes])
		if err != nil {
			return most, nil //nolint:nilerr // what the broker does not report is not known
		}
		largest = max(largest, n)
	}
	return min(largest, most), nil
}

// roundUp returns the next whole MiB, in bytes.
func roundUp(n int) int { return (n + 1<<20 - 1) &^ (1<<20 - 1) }

// EnsureFiles makes sure that the topic for documents of files is there, and returns it: one that is there already may
// have other partitions. Nothing in it is deleted by age. maxBytes is what a record may take.
func (t *Topics) EnsureFiles(ctx context.Context, name string, partitions, replicas, maxBytes int) (Topic, error) {
	found, err := t.find(ctx, []string{name})
	if err != nil {
		return Topic{}, err
	}
	if topic, there := found[name]; there {
		return topic, nil
	}
	return t.create(ctx, name, partitions, replicas, map[string]string{
		"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1", "message.timestamp.type": "CreateTime",
		"max.message.bytes": strconv.Itoa(max(maxBytes, kafkaMaxMessageBytes)),
	})
}
