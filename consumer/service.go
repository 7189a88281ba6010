package consumer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/semaphore"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/sink"
)

// Setup is all that a service is made of. The store stays the caller's to close.
type Setup struct {
	Kafka     []kgo.Opt // how the cluster is reached
	Params    Params
	Source    SourceParams
	Document  document.Params
	Index     index.Params
	IndexName string
	Journal   journal.Params
	Sink      sink.Params
	Snapshot  snapshot.Params
	Store     snapshot.Store
	Settings  []byte // canonical text of all that decides verdicts
	Logger    zerolog.Logger
	// ProducerTime accepts a journal whose records carry the appender's time: the embedded broker, which lives in the
	// appender's process, stamps no time of its own.
	ProducerTime bool

	forbidden time.Duration // for tests; 0: forbiddenPatience
	waited    time.Duration // for tests: as if a partition had waited so long when it begins to
}

// shared is what all goroutines of a service use. It does not change once the sessions run.
type shared struct {
	params       Params
	sourceParams SourceParams
	indexParams  index.Params
	indexName    string
	settings     []byte
	fingerprint  uint64
	routing      []byte // canonical text
	routed       uint64 // its hash
	maxEntry     int
	maxRecord    int
	dryRun       bool
	outputs      sink.Params
	times        *knownTimes
	kafka        []kgo.Opt
	incarnation  incarnation
	logger       zerolog.Logger
	forbidden    time.Duration // how long an append may be
	waited       time.Duration // by a partition that begins to

	journalTopic string
	journalID    [16]byte
	admin        *kgo.Client // also the appender's
	appender     *journal.Appender
	follower     *follower
	reader       *document.Reader
	encoder      *sink.Encoder
	counters     *counters
	waiting      waiting
	large        *semaphore.Weighted // for those who sign large documents
	stirred      chan struct{}       // a session stands otherwise than before
}

// Service is one process of the consumer group.
type Service struct {
	setup  Setup
	shared *shared
	loops  []setting.Mistake // topics in two roles

	took     *phases // of the way to being ready; of the goroutine that goes it
	admitted bool    // the journal was found to be this group's; of the same goroutine

	mu      sync.Mutex
	running bool // the follower is there
	owed    owed // of the source
	stands  Standing
	lagRead bool // the last reading of the lags succeeded

	cut cuts // of the goroutine that reads the lags
}

// New builds a service from valid parameters. It starts nothing.
func New(setup Setup) (*Service, error) {
	reader, err := document.New(setup.Document)
	if err != nil {
		return nil, fmt.Errorf("build service: %w", err)
	}
	fingerprint := index.Fingerprint(setup.Settings)
	sh := &shared{
		params: setup.Params, sourceParams: setup.Source, indexParams: setup.Index, indexName: setup.IndexName,
		settings: setup.Settings, fingerprint: fingerprint, maxEntry: int(setup.Journal.MaxEntryBytes),
		maxRecord: int(setup.Sink.MaxRecordBytes), dryRun: setup.Sink.DryRun, outputs: setup.Sink, kafka: setup.Kafka,
		incarnation: newIncarnation(time.Now()), logger: setup.Logger, reader: reader,
		encoder:  sink.New(setup.Sink, setup.IndexName, fmt.Sprintf("%s:%016x", setup.Index.Algorithm(), fingerprint)),
		times:    &knownTimes{of: map[string]outputTimes{}},
		counters: &counters{}, large: semaphore.NewWeighted(largeAtOnce), stirred: make(chan struct{}, 1),
		forbidden: cmp.Or(setup.forbidden, forbiddenPatience), waited: setup.waited,
	}
	sh.routing = routing.Text(setup.Source.Topics, setup.Source.Start, setup.Sink)
	sh.routed = index.Fingerprint(sh.routing)
	sh.counters.snapshotNext.Store(-1)
	sh.counters.journalEnd.Store(-1)
	setup.Journal.Topic = setup.Journal.Name(setup.Params.Group)
	sh.journalTopic = setup.Journal.Topic
	loops := Loops(setup.Params, setup.Source, setup.Journal, setup.Sink)
	return &Service{setup: setup, shared: sh, loops: loops, owed: unknownLag(), lagRead: true}, nil
}

// Run serves until ctx is done, then drains: it finishes and commits what is polled, takes a last snapshot and leaves the
// group, all within the drain timeout. It returns nil after a drain, and a *StopError where a person is needed.
func (s *Service) Run(ctx context.Context) error {
	hard, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(drainTime(s.setup.Params.DrainTimeout), cancel)
		context.AfterFunc(hard, func() { timer.Stop() })
	})
	defer stop()
	err := s.serve(hard, ctx)
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// goodbyes is what a drain leaves for the rest when its work is cut short: ending a transaction, giving back leases, closing
// connections, with servers that may not answer any more.
const goodbyes = 2 * time.Second

// drainTime is the part of the drain timeout that work may take.
func drainTime(timeout time.Duration) time.Duration { return max(timeout-goodbyes, timeout/2) }

func (s *Service) serve(ctx, drain context.Context) error {
	s.took = beginPhases()
	if err := s.closed(); err != nil {
		return err
	}
	if err := s.connect(drain); err != nil {
		return err
	}
	defer s.shared.admin.Close()
	s.took.end("connect")
	member, lease, err := s.takeName(drain)
	if err != nil {
		return err
	}
	name := &name{store: s.setup.Store, lease: lease, member: member, logger: s.setup.Logger}
	defer name.release()
	s.took.end("name")
	slots, err := s.slots(drain, member)
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	s.took.end("fence")
	return s.lives(ctx, drain, name, slots)
}

// Stats returns what the service has done and how it stands. It may be called at any time.
func (s *Service) Stats() Stats {
	st := s.shared.counters.stats()
	st.Waiting = s.shared.waiting.list()
	s.mu.Lock()
	defer s.mu.Unlock()
	st.SourceLag, st.Leaderless, st.Standing = s.owed.lag, len(s.owed.leaderless), s.stands
	if !s.running {
		return st
	}
	st.Journal = s.shared.appender.Stats()
	last := s.shared.follower.reading.Load()
	st.Index, st.JournalNext, st.AppliedTime = last.index, last.next, last.appendTime
	return st
}

// Ready says whether the service would forward a document that came now: it has caught up, it takes part in the group, and
// each of its sessions reads what the group gave it, or was given nothing; none of its partitions waits for a person. A rebalance does not change that, unless the way to
// the partitions takes long.
func (s *Service) Ready() bool {
	return s.shared.counters.ready.Load() && len(s.shared.waiting.list()) == 0
}

// partitionBytes is how much of a partition one fetch brings at most. The client's 1 MiB fills a transaction of a few
// partitions only in part: of documents of 2 kB in four partitions it brings some 3,000, and 4 MiB bring enough for the
// default poll_records.
const partitionBytes = 4 << 20

// unpackBounds are those of one session. What it holds unpacked is what it forwards and what comes next.
func (sh *shared) unpackBounds() unpack.Bounds {
	batch := int(sh.sourceParams.MaxBatchBytes)
	return unpack.Bounds{Batch: batch, Held: max(batch, unpackedFetches*int(sh.params.FetchBytes))}
}

// unpackedFetches is how many fetch_bytes a session holds unpacked. Text is compressed to a fourth, as a rule.
const unpackedFetches = 4

// heartbeat is how soon a session learns of a rebalance: each phase of one waits for the last member to learn of it. There
// are more of them than one would think: when a session that leads the group comes back after a kill, the client library
// compares the plan it would make with the one in force, which it cannot know to be sticky, and has the group make it anew.
const heartbeat = 500 * time.Millisecond

// refusedAgain is how soon a session looks at the metadata again. The library repeats a refused record only after it has, also
// where nothing has moved: Kafka refuses the first records of a transaction (CONCURRENT_TRANSACTIONS) for as long as the end of
// the one before is still being written, and with the library's 5 s each such moment became 5 s.
const refusedAgain = 100 * time.Millisecond

// sessionOptions are the client options of a session beside those that reach the cluster.
func (sh *shared) sessionOptions(slot string) []kgo.Opt {
	codec, _ := sh.outputs.Codec()
	return append(append([]kgo.Opt{}, sh.kafka...),
		kgo.ConsumerGroup(sh.params.Group),
		kgo.ConsumeTopics(sh.sourceParams.Topics...),
		kgo.InstanceID(slot),
		kgo.TransactionalID(sh.transactionalID(slot)),
		kgo.TransactionTimeout(sh.params.TransactionTimeout),
		kgo.MetadataMinAge(refusedAgain),
		kgo.SessionTimeout(sh.params.SessionTimeout),
		kgo.HeartbeatInterval(min(sh.params.SessionTimeout/3, heartbeat)),
		kgo.RebalanceTimeout(5*sh.params.SessionTimeout),
		kgo.Balancers(balancer{kgo.CooperativeStickyBalancer(), sh.incarnation}),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(), // what is polled is committed: so are the markers, and with them what was aborted before them
		kgo.FetchMaxWait(time.Second),
		kgo.FetchMaxBytes(int32(sh.params.FetchBytes)),
		kgo.BrokerMaxReadBytes(int32(max(100<<20, sh.params.FetchBytes))), // the library's, or more
		kgo.FetchMaxPartitionBytes(int32(min(sh.params.FetchBytes, partitionBytes))),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerLinger(0),
		kgo.ProducerBatchCompression(codec),
		kgo.MaxBufferedRecords(sh.params.PollRecords+1),
		kgo.ProducerBatchMaxBytes(int32(max(sh.maxRecord, 1<<20))),
	)
}
