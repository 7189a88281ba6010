package consumer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/unecho/unecho/consumer/balance"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/recent"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/signing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/sink"
)

// reached is a group that a process has reached, and by what it works there. It does not change.
type reached struct {
	setup   *Setup // none of its settings is open
	agreed  *member.Agreed
	cluster *cluster.Cluster
	log     *journal.Log
	reader  *document.Reader
	large   *semaphore.Weighted // signing.LargeAtOnce, for all of the process that sign
	files   *files.Directory    // where old documents lie; nil: in memory
}

func (r *reached) member(name string, counters *member.Counters, copies *recent.Copies) *member.Setup {
	s := r.setup
	return &member.Setup{
		Name: name, Group: s.Params.Group, Kafka: s.Kafka, Log: r.log, Journal: s.Journal, Agreed: r.agreed,
		Store: s.Store, Leases: s.Leases, AcceptJournalGap: s.Accepted.JournalGap, ProducerTime: s.ProducerTime,
		Counters: counters, Recent: copies, Logger: s.Logger, Files: r.files,
	}
}

// openFiles opens the directory for old documents, if there is to be one. closed closes it.
func openFiles(r *reached) (closed func() error, err error) {
	path := r.setup.Index.Duplicates.Remember.Directory
	if path == "" {
		return func() error { return nil }, nil
	}
	open, group := r.setup.openFiles, r.setup.Params.Group
	if open == nil {
		open = files.Open
	}
	r.files, err = open(files.PathOf(path, group), files.Owner{
		Group: group, Journal: r.log.ID, Fingerprint: r.log.Fingerprint(),
	})
	if err != nil {
		return nil, &stop.Error{
			What: "old documents cannot be kept in duplicates.remember.directory", Err: err,
			Remedy: "do what the message says; `unecho doctor` looks at the directory, too",
		}
	}
	return r.files.Close, nil
}

// encoder makes the output records.
func (r *reached) encoder() *sink.Encoder {
	p := &r.setup.Index
	encoder := sink.New(r.setup.Sink, r.setup.Params.Group, fmt.Sprintf("%s:%016x", p.Algorithm(), r.log.Fingerprint())).
		OfJournal(r.log.ID)
	if p.MarksLate() {
		encoder.MarkLate()
	}
	if p.Duplicates.Ignored.Len() > 0 {
		encoder.MarkIgnored()
	}
	return encoder
}

// client opens the client that appends to the journal.
func (s *Setup) client() (*kgo.Client, error) {
	client, err := kgo.NewClient(append(slices.Clone(s.Kafka), journal.AppenderOptions(s.Journal)...)...)
	if err != nil {
		return nil, fmt.Errorf("open client: %w", err)
	}
	return client, nil
}

// reached is the group that has this journal. Fingerprint is that of the group's settings.
func (s *Setup) reached(client *kgo.Client, id [16]byte, agreed *member.Agreed, fingerprint uint64,
	reader *document.Reader,
) *reached {
	return &reached{
		setup: s, agreed: agreed, reader: reader, large: semaphore.NewWeighted(signing.LargeAtOnce),
		cluster: &cluster.Cluster{
			Group: s.Params.Group, TransactionTimeout: s.Params.TransactionTimeout, Options: s.Kafka, Client: client,
			Logger: s.Logger,
		},
		log: journal.NewLog(client, s.Journal.Topic, id, s.Params.Group, fingerprint,
			cmp.Or(s.forbidden, journal.ForbiddenPatience), s.Logger),
	}
}

// connect reaches the cluster, makes sure that the topics are there, and fixes the settings that are open.
func (s *Setup) connect(ctx context.Context, reader *document.Reader, l *lookout) (*reached, error) {
	client, err := s.client()
	if err != nil {
		return nil, err
	}
	var id [16]byte
	var settings index.Params
	err = s.waits(ctx, s.Params.StartTimeout, func() (err error) {
		if id, err = s.topics(ctx, client, l); err != nil {
			return err
		}
		if err = s.alone(ctx, client); err != nil {
			return err
		}
		settings, err = s.resolveSettings(ctx, id)
		return err
	})
	if err != nil {
		client.Close()
		return nil, err
	}
	s = s.fixed(settings)
	s.takeLess(l.taken)
	s.logLimits()
	agreed := s.agreed()
	return s.reached(client, id, agreed, agreed.Fingerprint, reader), nil
}

// takeLess bounds records by what all outputs take, where that is less than the settings allow.
func (s *Setup) takeLess(taken setting.Bytes) {
	if taken >= s.Sink.MaxRecordBytes {
		return
	}
	s.Logger.Warn().Stringer("bytes", taken).Stringer("setting", s.Sink.MaxRecordBytes).
		Msg("outputs take smaller records than the settings allow: larger ones, counted with key, headers and ours, go to rejected (too_large)")
	s.Sink.MaxRecordBytes = taken
}

// alone refuses to start while a program that is none of unecho's is in the group: it would take partitions, and what
// it commits is never judged.
func (s *Setup) alone(ctx context.Context, client *kgo.Client) error {
	in, err := cluster.Members(ctx, kadm.NewClient(client), s.Params.Group)
	if err != nil {
		return err
	}
	if guests := in.Guests(); len(guests) > 0 {
		return balance.Shared(s.Params.Group, strings.Join(guests, ", "), nil)
	}
	return nil
}

const startPause = 250 * time.Millisecond

// waits takes a step of the start again while Kafka cannot do it for the moment: a broker that restarts, or a
// coordinator that moves, should not end a start at the same time. For a coordinator that is not there yet it waits as
// long as that may take. It says so once. What ends the start has a remedy.
func (s *Setup) waits(ctx context.Context, within time.Duration, step func() error) error {
	told, passing := false, false
	err := retry.While(ctx, startPause, step, func(err error, since time.Duration) bool {
		patience := within
		if broker.Uncoordinated(err) {
			patience = max(patience, s.Params.CoordinatorTimeout)
		}
		if passing = broker.Transient(err); !passing || since >= patience {
			return false
		}
		if !told {
			told = true
			s.Logger.Warn().Err(err).Dur("start_timeout_ms", patience).
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
func (s *Setup) topics(ctx context.Context, client *kgo.Client, l *lookout) (journalID [16]byte, err error) {
	if err := broker.Ping(ctx, client); err != nil {
		return journalID, err
	}
	topics := broker.NewTopics(client, s.Logger)
	sources, err := topics.Describe(ctx, document.Named(s.Sources)...)
	if err != nil {
		return journalID, err
	}
	j, err := topics.VerifyJournal(ctx, s.Journal.Topic, broker.JournalWant{
		ReplicationFactor: s.Sink.Create.ReplicationFactor,
		MaxMessageBytes:   s.Journal.MaxRecordBytes(), Create: s.Sink.Create.Enabled,
	})
	if err != nil {
		return journalID, err
	}
	if err := l.fit(ctx, topics); err != nil {
		return j.ID, err
	}
	for _, source := range sources {
		if err := l.ready(ctx, topics, source); err != nil {
			return j.ID, err
		}
	}
	if l.sources.Choice.Open() {
		err = l.look(ctx, client)
	}
	return j.ID, err
}

// fence fences the slots of a member and returns them. After that their former owners can do no more. Kafka may have
// to end their transactions first: that is waited for, and said. If it has no coordinator yet, one fencing ends before
// there is one: the next begins.
func (r *reached) fence(ctx context.Context, member string) ([]string, error) {
	slots := make([]string, r.setup.Params.Sessions)
	for k := range slots {
		slots[k] = cluster.Slot(member, k)
	}
	within := max(r.setup.Params.StartTimeout, r.setup.Params.CoordinatorTimeout)
	slow := time.AfterFunc(cluster.StablePatience, func() {
		r.setup.Logger.Warn().Str("member", member).Dur("at_most_ms", within+r.cluster.FenceBound()).
			Msg("Kafka does not hand over the transactional ids of this member yet: waiting for their coordinators")
	})
	defer slow.Stop()
	return slots, r.setup.waits(ctx, within, func() error {
		fencing, ctx := errgroup.WithContext(ctx)
		for _, slot := range slots {
			fencing.Go(func() error { return r.cluster.Fence(ctx, slot) })
		}
		return fencing.Wait()
	})
}
