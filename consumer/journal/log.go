package journal

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
)

// Log is the journal as a member appends to it and asks where it begins and ends. It is safe for concurrent use.
type Log struct {
	Topic       string
	ID          [16]byte // of the topic
	Fingerprint uint64   // of the settings, in the header of each record
	*Appender

	admin     *kadm.Client
	forbidden time.Duration // how long Kafka may forbid an append
	logger    zerolog.Logger
	end       atomic.Int64
}

// ForbiddenPatience is how long an append may be forbidden: rights that were just granted take a moment to be everywhere.
const ForbiddenPatience = 10 * time.Second

// NewLog wraps a client that was built with AppenderOptions. Group is the consumer group whose journal it is, forbidden how long
// Kafka may forbid an append.
func NewLog(client *kgo.Client, topic string, id [16]byte, group string, fingerprint uint64, forbidden time.Duration, logger zerolog.Logger) *Log {
	l := &Log{
		Topic: topic, ID: id, Fingerprint: fingerprint, Appender: NewAppender(client, group), admin: kadm.NewClient(client),
		forbidden: forbidden, logger: logger,
	}
	l.end.Store(-1)
	return l
}

// Client is the one that appends, which others may use for requests.
func (l *Log) Client() *kgo.Client { return l.client }

// Header is that of a record appended now.
func (l *Log) Header() index.Header {
	return index.Header{Fingerprint: l.Fingerprint, Wall: time.Now().UnixMilli()}
}

// Put appends framed records until the journal has taken all of them, and returns the greatest offset. An error of the broker
// leaves open what is there, and first append wins. Only when Kafka goes on forbidding it a person is needed.
func (l *Log) Put(ctx context.Context, values ...[]byte) (last int64, err error) {
	err = retry.While(ctx, appendPause, func() error {
		last, err = l.AppendValues(ctx, values)
		return err
	}, func(err error, since time.Duration) bool {
		if broker.Forbidden(err) && since > l.forbidden {
			return false
		}
		l.logger.Warn().Err(err).Msg("journal append is repeated")
		return true
	})
	switch {
	case err == nil:
		return last, nil
	case ctx.Err() != nil:
		return -1, context.Cause(ctx)
	}
	return -1, &stop.Error{
		What: "journal " + l.Topic + " takes no appends", Err: err,
		Remedy: "grant this principal Write on the topic: the rights that unecho needs are listed in permissions.md",
	}
}

const appendPause = 250 * time.Millisecond

// How long a repeated append waits, the first and the later ones.
const (
	repeatPause    = 20 * time.Millisecond
	maxRepeatPause = time.Second
)

// BeforeRepeat comes before an append that repeats another: the journal took that so many times, and no member could read it.
// The first repeat comes soon, because one bad bit may be the cause. Later ones wait longer, so that a machine that damages all
// it appends does not fill the journal.
func (l *Log) BeforeRepeat(ctx context.Context, times int) error {
	if times == 0 {
		return nil
	}
	if !protocol.AppendAgain(times) {
		return l.Unreadable()
	}
	l.logger.Warn().Int("times", times).Msg("entries that the journal took have no verdict, because nobody can read them: appending them again")
	return retry.Pause(ctx, min(maxRepeatPause, repeatPause<<times))
}

// Unreadable ends a process that has appended in vain for too often.
func (l *Log) Unreadable() *stop.Error {
	return &stop.Error{
		What: "no member can read what this one appends to journal " + l.Topic,
		Remedy: "run the member on another machine: this one's memory is to be suspected; the others take over its partitions. " +
			"If they end so as well, look at the journal's broker",
	}
}

// Bounds reads the first offset of the journal and the one after its last.
func (l *Log) Bounds(ctx context.Context) (start, end int64, err error) {
	if start, err = l.offset(ctx, l.admin.ListStartOffsets); err != nil {
		return 0, 0, err
	}
	end, err = l.End(ctx)
	return start, end, err
}

// End reads the offset after the last record of the journal.
func (l *Log) End(ctx context.Context) (int64, error) {
	end, err := l.offset(ctx, l.admin.ListEndOffsets)
	if err == nil {
		l.end.Store(end)
	}
	return end, err
}

// LastEnd is the end as it was last read; -1: it is not known.
func (l *Log) LastEnd() int64 { return l.end.Load() }

// Forget makes LastEnd unknown: an old end would look like a replica that keeps up.
func (l *Log) Forget() { l.end.Store(-1) }

// leaderPatience is how long the journal may be without a leader, or out of reach, before what asks for its offsets fails: a
// start should not restore everything again because a broker was just restarted. Kafka takes 9 s to miss a broker
// (broker.session.timeout.ms), and elects another leader then.
const leaderPatience = 15 * time.Second

func (l *Log) offset(ctx context.Context, list broker.Listing) (offset int64, err error) {
	err = retry.While(ctx, 50*time.Millisecond, func() error {
		listed, err := list(ctx, l.Topic)
		if err == nil {
			err = listed.Error()
		}
		if o, ok := listed.Lookup(l.Topic, 0); err == nil && ok {
			offset = o.Offset
		}
		return err
	}, func(err error, since time.Duration) bool { return broker.MayPass(err) && since <= leaderPatience })
	if err != nil {
		return 0, fmt.Errorf("list offsets of journal: %w", err)
	}
	return offset, nil
}

// Delete deletes the records below an offset.
func (l *Log) Delete(ctx context.Context, below int64) error {
	var offsets kadm.Offsets
	offsets.AddOffset(l.Topic, 0, below, -1)
	deleted, err := l.admin.DeleteRecords(ctx, offsets)
	if err == nil {
		err = deleted.Error() // a missing right stands only here
	}
	if err != nil {
		return fmt.Errorf("trim journal: %w", err)
	}
	return nil
}

// OutOfRange says that the journal could not be followed because its first records were deleted.
func OutOfRange(err error) bool { return errors.Is(err, kerr.OffsetOutOfRange) }
