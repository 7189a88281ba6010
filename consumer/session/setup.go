package session

import (
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"github.com/unecho/unecho/consumer/balance"
	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/measure"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/outputs"
	"github.com/unecho/unecho/consumer/pipeline"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/signing"
	"github.com/unecho/unecho/consumer/standing"
	"github.com/unecho/unecho/consumer/takeover"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/sink"
)

type assignment = protocol.Assignment

// Setup is what the sessions of a process have in common. It does not change once they run.
type Setup struct {
	Params        Params
	Topics        *routing.Topics // that are read
	Sink          sink.Params
	MaxEntryBytes int // of the journal

	Cluster     *cluster.Cluster
	Log         *journal.Log
	Replica     *member.Follower
	Reader      *document.Reader
	Encoder     *sink.Encoder
	Clock       *outputs.Clock
	Incarnation balance.Incarnation
	Large       *semaphore.Weighted // signing.LargeAtOnce, for those who sign large documents
	Counters    *measure.Counters
	Waiting     *standing.WaitingList
	Stir        func()    // a session stands otherwise than before
	Options     []kgo.Opt // of the clients, beside those that reach the cluster
	Logger      zerolog.Logger
	Accepted    protocol.Accepted

	Mode  protocol.Mode // under no duty
	Limit *rate.Limiter // of documents that a backfill appends by itself; nil: there is none

	PassAfter time.Duration // how long the journal may be away before documents are passed on unchecked; 0: they wait

	Ahead time.Duration // counts as waited by a partition that begins to wait; for tests
}

// Signing is what the workers of a session need.
func (s *Setup) Signing() *signing.Setup {
	return &signing.Setup{
		Index:  s.Replica.Params(), // the journal says for which threshold bands are planned
		Reader: s.Reader, Encoder: s.Encoder, MaxEntryBytes: s.MaxEntryBytes, Large: s.Large,
		Untimely: s.Clock.Untimely,
	}
}

// takeovers are what the sessions take partitions over with.
func (s *Setup) takeovers() *takeover.Setup {
	return &takeover.Setup{
		Terms:       protocol.Terms{AcceptJournalGap: s.Accepted.JournalGap == s.Log.Gap(), Mode: s.Mode},
		LostOffsets: s.Accepted.LostOffsets,
		Cluster:     s.Cluster, Log: s.Log, Replica: s.Replica, Topics: s.Topics, Sink: s.Sink, Incarnation: s.Incarnation,
		Waits: s.PassAfter > 0, Counters: s.Counters, Waiting: s.Waiting, Ahead: s.Ahead, Logger: s.Logger,
	}
}

// pipeline makes one for a client that is to be opened.
func (s *Setup) pipeline() (*pipeline.Pipeline, error) {
	return pipeline.New(&pipeline.Setup{
		Signing: s.Signing(), Log: s.Log, Replica: s.Replica, Clock: s.Clock, DryRun: s.Sink.DryRun, Counters: s.Counters, Logger: s.Logger,
	}, unpack.New(unpack.LimitsOf(int(s.Params.MaxBatchBytes), int(s.Params.FetchBytes))))
}
