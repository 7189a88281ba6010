package session

import (
	"errors"
	"fmt"
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
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/signing"
	"github.com/unecho/unecho/sink"
)

type (
	topicPartition = protocol.TopicPartition
	assignment     = protocol.Assignment
)

// Setup is what the sessions of a process have in common. It does not change once they run.
type Setup struct {
	Params        Params
	Source        SourceParams
	Sources       *Sources
	Sink          sink.Params
	MaxEntryBytes int // of the journal

	Cluster     *cluster.Cluster
	Log         *journal.Log
	Agreed      *member.Agreed
	Replica     *member.Follower
	Reader      *document.Reader
	Encoder     *sink.Encoder
	Times       *Times
	Incarnation balance.Incarnation
	Large       *semaphore.Weighted // signing.LargeAtOnce, for those who sign large documents
	Counters    *measure.Counters
	Waiting     *WaitingList
	Stir        func()    // a session stands otherwise than before
	Options     []kgo.Opt // of the clients, beside those that reach the cluster
	Logger      zerolog.Logger

	Mode  protocol.Mode // under no duty
	Limit *rate.Limiter // of documents that a backfill appends by itself; nil: there is none

	PassAfter time.Duration // how long the journal may be away before documents are passed on unchecked; 0: they wait

	Ahead time.Duration // counts as waited by a partition that begins to wait; for tests
}

// Signing is what the workers of a session need.
func (s *Setup) Signing() *signing.Setup {
	p := s.Agreed.Index
	if s.Replica != nil { // the journal says for which threshold bands are planned
		p = s.Replica.Params()
	}
	return &signing.Setup{
		Index: p, Reader: s.Reader, Encoder: s.Encoder, MaxEntryBytes: s.MaxEntryBytes, Large: s.Large,
		Untimely: func(r *kgo.Record) (string, bool) {
			detail, untimely := s.Times.Untimely(r, s.now())
			return detail, untimely && s.foresees()
		},
	}
}

// now is the time by which documents are untimely.
func (s *Setup) now() time.Time {
	if at, fixed := s.Mode.Fixed(); fixed {
		return time.UnixMilli(at)
	}
	return s.brokersNow()
}

// foresees says that now is known well enough to reject by it what no broker has refused. Who foresaw by an old comparison
// of clocks that all documents are untimely would append none, and so never compare again.
func (s *Setup) foresees() bool {
	_, fixed := s.Mode.Fixed()
	return fixed || s.Log.Compared(time.Now(), comparisonLasts)
}

// comparisonLasts is how long a comparison of clocks counts. A clock that was set by less since then is not noticed.
const comparisonLasts = time.Minute

// brokersNow is the present time, as far as it is known by the clock of the journal's broker: this machine's may be off, and
// what outputs take is decided by brokers.
func (s *Setup) brokersNow() time.Time {
	ahead, _ := s.Log.Ahead()
	applied := int64(0)
	if s.Replica != nil {
		applied = s.Replica.Reading().AppendTime
	}
	return corrected(time.Now(), ahead, applied)
}

// corrected returns a time by this machine's clock, which is ahead of the broker's by so much, as the broker's. It is not
// before what the broker has said (ms since 1970).
func corrected(now time.Time, ahead time.Duration, said int64) time.Time {
	now = now.Add(-ahead)
	if said > now.UnixMilli() {
		return time.UnixMilli(said)
	}
	return now
}

// ErrReplaced is wrapped by what a session ends with whose place in the group another process took.
var ErrReplaced = errors.New("it was replaced")

// errRebuild is wrapped by all errors after which a session closes itself and is built anew: unknown outcomes, epochs
// that changed, fenced producers. Nothing is lost by that, and nothing is trusted that was in memory.
var errRebuild = errors.New("session is rebuilt")

// rebuildError is errRebuild with its reason.
type rebuildError struct {
	because error
	moved   *assignment // the source has another document there than was judged; nil: that is not why
}

// Error says the reason only. The reader of the error says that the session is rebuilt, or why it cannot be.
func (e *rebuildError) Error() string { return e.because.Error() }

// Unwrap returns both.
func (e *rebuildError) Unwrap() []error { return []error{errRebuild, e.because} }

func rebuild(format string, args ...any) error {
	return &rebuildError{because: fmt.Errorf(format, args...)}
}
