package consumer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/session"
)

// connect reaches the cluster, makes sure that the topics are there, and fixes the settings that are open.
func (s *Service) connect(ctx context.Context) (*cluster.Cluster, *journal.Log, error) {
	opts := append(append([]kgo.Opt{}, s.setup.Kafka...), journal.AppenderOptions(s.setup.Journal)...)
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, nil, fmt.Errorf("open client: %w", err)
	}
	var id [16]byte
	err = s.waits(ctx, func() (err error) {
		if id, err = s.topics(ctx, client); err != nil {
			return err
		}
		if err = s.alone(ctx, client); err != nil {
			return err
		}
		return s.settle(ctx, id)
	})
	if err != nil {
		client.Close()
		return nil, nil, err
	}
	s.sayLimits()
	p := &s.setup.Params
	log := journal.NewLog(client, s.setup.Journal.Topic, id, p.Group, s.agreed.Fingerprint, s.forbiddenPatience(),
		s.setup.Logger)
	return &cluster.Cluster{
		Group: p.Group, TransactionTimeout: p.TransactionTimeout, Options: s.setup.Kafka, Client: client,
		Logger: s.setup.Logger,
	}, log, nil
}

// alone refuses to start while a program that is none of unecho's is in the group: it would take partitions, and what
// it commits is never judged.
func (s *Service) alone(ctx context.Context, client *kgo.Client) error {
	in, err := cluster.Members(ctx, kadm.NewClient(client), s.setup.Params.Group)
	if err != nil {
		return err
	}
	if guests := in.Guests(); len(guests) > 0 {
		return session.Shared(s.setup.Params.Group, strings.Join(guests, ", "), nil)
	}
	return nil
}

const startPause = 250 * time.Millisecond

// waits takes a step of the start again while Kafka cannot do it for the moment: a broker that restarts, or a
// coordinator that moves, should not end a start at the same time. It says so once. What ends the start has a remedy.
func (s *Service) waits(ctx context.Context, step func() error) error {
	told, passing := false, false
	err := retry.While(ctx, startPause, step, func(err error, since time.Duration) bool {
		if passing = broker.Passing(err); !passing || since >= s.setup.Params.StartTimeout {
			return false
		}
		if !told {
			told = true
			s.setup.Logger.Warn().Err(err).Dur("start_timeout_ms", s.setup.Params.StartTimeout).
				Msg("Kafka cannot be used yet: trying again")
		}
		return true
	})
	if err == nil || !passing || ctx.Err() != nil || errors.As(err, new(*broker.Fault)) {
		return err
	}
	return &broker.Fault{What: "Kafka cannot be used", Err: err, Remedy: broker.LookAtLeaders}
}

// topics makes sure that all topics are there and right, and returns the id of the journal's.
func (s *Service) topics(ctx context.Context, client *kgo.Client) (journalID [16]byte, err error) {
	if err := broker.Ping(ctx, client); err != nil {
		return journalID, err
	}
	topics := broker.NewTopics(client, s.setup.Logger)
	sources, err := topics.Describe(ctx, s.setup.Source.Topics...)
	if err != nil {
		return journalID, err
	}
	j, err := topics.VerifyJournal(ctx, s.setup.Journal.Topic, broker.JournalWant{
		ReplicationFactor: s.setup.Journal.ReplicationFactor, MinInsync: s.setup.Journal.MinInsync,
		MaxMessageBytes: s.setup.Journal.MaxRecordBytes(), Create: s.setup.Journal.Create,
	})
	if err != nil {
		return journalID, err
	}
	journalID = j.ID
	for _, source := range sources {
		if err := s.readySource(ctx, topics, source); err != nil {
			return journalID, err
		}
	}
	if s.session.Sources.Choice.Open() {
		err = s.lookForSources(ctx, client)
	}
	return journalID, err
}

// readySource makes sure that a source topic can be read, and that its outputs are there and right.
func (s *Service) readySource(ctx context.Context, topics *broker.Topics, source broker.Topic) error {
	if err := topics.CheckSource(ctx, source.Name, int(s.setup.Params.FetchBytes)); err != nil || s.setup.Sink.DryRun {
		return err
	}
	if _, err := topics.EnsureOutputs(ctx, s.session.Wants(source)...); err != nil {
		return err
	}
	return s.session.Times.Read(ctx, topics, source.Name, s.setup.Logger)
}

// slots fences the slots of the member and returns them. After that their former owners can do no more. Kafka may have
// to end their transactions first: that is waited for, and said.
func (s *Service) slots(ctx context.Context, c *cluster.Cluster, member string) ([]string, error) {
	slots := make([]string, s.setup.Params.Sessions)
	for k := range slots {
		slots[k] = cluster.Slot(member, k)
	}
	slow := time.AfterFunc(cluster.StablePatience, func() {
		s.setup.Logger.Warn().Str("member", member).Dur("at_most_ms", c.FenceBound()).
			Msg("Kafka does not hand over the transactional ids of this member yet: waiting for their coordinators")
	})
	defer slow.Stop()
	return slots, s.waits(ctx, func() error {
		fencing, ctx := errgroup.WithContext(ctx)
		for _, slot := range slots {
			fencing.Go(func() error { return c.Fence(ctx, slot) })
		}
		return fencing.Wait()
	})
}
