package consumer

import (
	"context"
	"fmt"
	"time"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/removal"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
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

// forgetStep is how many documents a search for what is to be forgotten looks at while the journal waits: some 100 us.
const forgetStep = 512

// Forget lets all members forget the documents of these names, and with copies also the remembered copies of them:
// see removal.Search. With dry it only looks for them. The offset is that of the journal from which on they are
// forgotten, and -1 if nothing was appended. This member has erased them, in its files as well, when Forget returns. Forget
// is asked by one caller at a time: it returns member.ErrBusy to others, member.ErrNoReplica before there is a replica and
// after, and the cause of ctx.
func (s *Service) Forget(ctx context.Context, names []string, copies,
	dry bool,
) (found removal.Found, offset int64, err error) {
	replica := s.replica.Load()
	if replica == nil {
		return found, -1, member.ErrNoReplica
	}
	log := replica.Log
	if !s.forgets.TryLock() {
		return found, -1, member.ErrBusy
	}
	defer s.forgets.Unlock()
	end, err := log.End(ctx) // what was appended by now can be named
	if err != nil {
		return found, -1, err
	}
	if err := replica.Wait(ctx, end-1); err != nil {
		return found, -1, err
	}
	search := removal.NewSearch(names, copies)
	var erased int64 // behind the latest erasure
	if err := replica.Search(ctx, func(r *index.Replica) bool {
		erased = r.Stats().Erased
		return search.Step(r, forgetStep)
	}); err != nil {
		return found, -1, err
	}
	found = search.Found()
	if dry {
		return found, -1, nil
	}
	if len(found.Documents) == 0 { // they may have been forgotten a moment ago, and a file may have them still
		return found, -1, replica.Erased(ctx, erased-1)
	}
	for _, rec := range removal.Records(log.Header(), found.Targets()) {
		if offset, err = log.Put(ctx, journal.Append(nil, rec)); err != nil {
			return found, -1, fmt.Errorf("forget documents: %w", err)
		}
	}
	return found, offset, replica.Erased(ctx, offset)
}
