package consumer

import (
	"context"
	"time"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/entry"
)

// Find tells what the replica knows of a document, by its coordinates: see member.Follower.Find. It returns
// member.ErrNoReplica before there is a replica, and after.
func (s *Service) Find(ctx context.Context, topic string, partition int32, offset int64) (member.Whereabouts, error) {
	replica := s.replica.Load()
	if replica == nil {
		return member.Whereabouts{}, member.ErrNoReplica
	}
	return replica.Find(ctx, topic, partition, offset)
}

// recordTimeout bounds how long reading one record for somebody may take.
const recordTimeout = 5 * time.Second

// recordBytes bounds the memory of the batch that holds a record that somebody asks for.
const recordBytes = 32 << 20

// Record reads a document's record from its topic, with the rights of the service and a client of its own: see
// topic.ReadOne.
func (s *Service) Record(ctx context.Context, source entry.Source, name string, offset int64) (document.Input, error) {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	r, err := topic.ReadOne(ctx, s.setup.Kafka, name, source.Topic, source.Partition, offset, recordBytes)
	if err != nil {
		return document.Input{}, err
	}
	return document.Input{Key: r.Key, Value: r.Value, Headers: r.Headers, Topic: r.Topic, Partition: r.Partition}, nil
}
