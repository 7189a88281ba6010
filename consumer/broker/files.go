package broker

import (
	"context"
	"strconv"
)

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
	if replicas < 1 {
		replicas = -1
	}
	return t.create(ctx, name, partitions, replicas, map[string]string{
		"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1", "message.timestamp.type": "CreateTime",
		"max.message.bytes": strconv.Itoa(max(maxBytes, kafkaMaxMessageBytes)),
	})
}
