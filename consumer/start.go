package consumer

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/journal"
)

// connect reaches the cluster and makes sure of the topics.
func (s *Service) connect(ctx context.Context) error {
	opts := append(append([]kgo.Opt{}, s.setup.Kafka...), journal.AppenderOptions(s.setup.Journal)...)
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return fmt.Errorf("open client: %w", err)
	}
	if err := s.patiently(ctx, func() error { return s.topics(ctx, client) }); err != nil {
		client.Close()
		return err
	}
	s.shared.admin, s.shared.appender = client, journal.NewAppender(client, s.setup.Params.Group)
	return nil
}

// patiently tries again for a while what fails only for the moment: a broker that restarts should not end who starts beside
// it.
func (s *Service) patiently(ctx context.Context, try func() error) error {
	for began, told := time.Now(), false; ; {
		err := try()
		if err == nil || ctx.Err() != nil || !broker.Passing(err) || time.Since(began) >= s.setup.Params.StartTimeout {
			return err
		}
		if !told {
			told = true
			s.setup.Logger.Warn().Err(err).Dur("start_timeout_ms", s.setup.Params.StartTimeout).Msg("Kafka cannot be used yet: trying again")
		}
		if err := pause(ctx, startPause); err != nil {
			return err
		}
	}
}

const startPause = 250 * time.Millisecond

func (s *Service) topics(ctx context.Context, client *kgo.Client) error {
	if err := broker.Ping(ctx, client); err != nil {
		return err
	}
	topics := broker.NewTopics(client, s.setup.Logger)
	sources, err := topics.Describe(ctx, s.setup.Source.Topics...)
	if err != nil {
		return err
	}
	for _, source := range sources {
		if err := topics.CheckSource(ctx, source.Name, int(s.setup.Params.FetchBytes)); err != nil {
			return err
		}
	}
	j, err := topics.VerifyJournal(ctx, s.shared.journalTopic, broker.JournalWant{
		ReplicationFactor: s.setup.Journal.ReplicationFactor, MinInsync: s.setup.Journal.MinInsync,
		MaxMessageBytes: s.setup.Journal.MaxRecordBytes(), Create: s.setup.Journal.Create,
	})
	if err != nil {
		return err
	}
	s.shared.journalID = j.ID
	for _, source := range sources {
		if s.setup.Sink.DryRun {
			break
		}
		unique, duplicate, rejected := s.setup.Sink.Topics(source.Name)
		if _, err := topics.EnsureOutputs(ctx, broker.OutputsWant{
			Source: source, Names: []string{unique, duplicate, rejected}, Create: s.setup.Sink.Create,
			ReplicationFactor: s.setup.Sink.ReplicationFactor, MaxRecordBytes: int(s.setup.Sink.MaxRecordBytes),
		}); err != nil {
			return err
		}
		if err := s.readTimes(ctx, topics, source.Name); err != nil {
			return err
		}
	}
	return nil
}

// slots are those of the member, fenced: whoever had them before can do no more.
func (s *Service) slots(ctx context.Context, member string) ([]string, error) {
	slots := make([]string, s.setup.Params.Sessions)
	fencing, ctx := errgroup.WithContext(ctx)
	for k := range slots {
		slots[k] = slot(member, k)
		fencing.Go(func() error { return s.shared.fence(ctx, s.shared.transactionalID(slots[k])) })
	}
	return slots, fencing.Wait()
}
