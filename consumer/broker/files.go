package broker

import (
	"context"
	"strconv"
)

// EnsureFiles makes sure that the topic for documents of files is there. It has one partition, so that the order of
// the files is that of the offsets, and nothing in it is deleted by age. maxBytes is what a record may take.
func (t *Topics) EnsureFiles(ctx context.Context, name string, replicas, maxBytes int) error {
	found, err := t.find(ctx, []string{name})
	if err != nil {
		return err
	}
	if _, there := found[name]; there {
		return nil
	}
	if replicas < 1 {
		replicas = -1
	}
	_, err = t.create(ctx, name, 1, replicas, map[string]string{
		"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1", "message.timestamp.type": "CreateTime",
		"max.message.bytes": strconv.Itoa(max(maxBytes, kafkaMaxMessageBytes)),
	})
	return err
}
