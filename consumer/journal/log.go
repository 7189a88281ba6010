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

// Log is a member's access to the journal: it appends, and asks where the journal begins and ends. It is safe for
// concurrent use.
type Log struct {
	Topic string
	ID    [16]byte // of the topic
	*Appender

	admin       *kadm.Client
	forbidden   time.Duration // how long Kafka may forbid an append before Put fails
	logger      zerolog.Logger
	fingerprint uint64 // in the header of each record
	start, end  atomic.Int64
	oldest      atomic.Pointer[oldest]
	answers     answers
	clock       clock
}

// oldest is the first record that the journal keeps.
type oldest struct{ offset, time int64 }

// ForbiddenPatience is how long Kafka may forbid an append. Rights that were just granted take a moment to reach all
// brokers.
const ForbiddenPatience = 10 * time.Second

// NewLog wraps a client that was built with AppenderOptions. Group is the consumer group to which the journal belongs,
// forbidden is how long Kafka may forbid an append.
func NewLog(client *kgo.Client, topic string, id [16]byte, group string, fingerprint uint64, forbidden time.Duration,
	logger zerolog.Logger,
) *Log {
	l := &Log{
		Topic: topic, ID: id, Appender: NewAppender(client, group), admin: kadm.NewClient(client),
		fingerprint: fingerprint, forbidden: forbidden, logger: logger,
	}
	l.Forget()
	return l
}

// Fingerprint is that in the header of each record.
func (l *Log) Fingerprint() uint64 { return l.fingerprint }

// Client returns the client that appends. Others may use it for requests.
func (l *Log) Client() *kgo.Client { return l.client }

// Header returns the header of a record that is appended now.
func (l *Log) Header() index.Header {
	return index.Header{Fingerprint: l.fingerprint, Wall: time.Now().UnixMilli()}
}

// Put appends framed records until the journal has taken all of them, and returns the greatest offset. After an error
// of the broker it is not known what was appended; Put appends again, and the first append wins. Put fails only if
// Kafka goes on forbidding the append, because then a person is needed.
func (l *Log) Put(ctx context.Context, values ...[]byte) (last int64, err error) {
	p := l.answers.begins(time.Now())
	defer func() { l.answers.ends(p, err, time.Now()) }()
	err = retry.While(ctx, appendPause, func() error {
		began := time.Now()
		if last, err = l.AppendValues(ctx, values); err == nil {
			l.appended(span{last, began.UnixMilli(), time.Now().UnixMilli()})
		}
		return err
	}, func(err error, since time.Duration) bool {
		l.answers.refuses(p, err, time.Now())
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

// These are the times that a repeated append waits, the first and the later ones.
const (
	repeatPause    = 20 * time.Millisecond
	maxRepeatPause = time.Second
)

// BeforeRepeat waits before an append is repeated that the journal has taken so many times without a member being able
// to read it. The wait before the first repeat is short, because one wrong bit may be the cause. Later waits are
// longer, so that a machine that damages all it appends does not fill the journal.
func (l *Log) BeforeRepeat(ctx context.Context, times int) error {
	if times == 0 {
		return nil
	}
	if !protocol.AppendAgain(times) {
		return l.Unreadable()
	}
	l.logger.Warn().Int("times", times).
		Msg("entries in the journal have no verdict, because they cannot be read: appending them again")
	return retry.Pause(ctx, min(maxRepeatPause, repeatPause<<times))
}

// Unreadable returns the error that ends a process whose appends were unreadable too often.
func (l *Log) Unreadable() *stop.Error {
	return &stop.Error{
		What: "no member can read what this one appends to journal " + l.Topic,
		Remedy: "run the member on another machine: this one's memory may be bad; the others take over its " +
			"partitions. If they end in the same way, check the journal's broker",
	}
}

// Range reads the first offset of the journal and the one after its last.
func (l *Log) Range(ctx context.Context) (start, end int64, err error) {
	if start, err = l.offset(ctx, l.admin.ListStartOffsets); err != nil {
		return 0, 0, err
	}
	l.start.Store(start)
	end, err = l.End(ctx)
	return start, end, err
}

// End reads the offset after the last record of the journal.
func (l *Log) End(ctx context.Context) (int64, error) {
	asked := time.Now()
	end, err := l.offset(ctx, l.admin.ListEndOffsets)
	l.answers.note(asked, err)
	if err == nil {
		l.end.Store(end)
	}
	return end, err
}

// LastStart returns the first offset as Range read it last, which it does when a member restores.
func (l *Log) LastStart() int64 { return l.start.Load() }

// Gap names the loss of what stood below LastStart.
func (l *Log) Gap() string { return protocol.JournalGap(l.Topic, l.ID, l.LastStart()) }

// NextGap says how a person learns the Gap of a journal that is made anew: nobody can know the id of its topic before.
const NextGap = "it stops once more, and names the --accept-journal-gap with which it goes on at the committed " +
	"offsets, without what was remembered"

// LastEnd returns the end as it was last read, or -1 if it is not known.
func (l *Log) LastEnd() int64 { return l.end.Load() }

// Forget makes LastEnd and Oldest unknown: an old end would look like a replica that keeps up.
func (l *Log) Forget() {
	l.end.Store(-1)
	l.oldest.Store(&oldest{offset: -1})
}

// ReadOldest reads where the journal begins, and when its first record was appended.
func (l *Log) ReadOldest(ctx context.Context) error {
	o, err := broker.OffsetOf(ctx, broker.After(l.admin, time.UnixMilli(0)), l.Topic, 0)
	if err != nil {
		return fmt.Errorf("list offsets of journal: %w", err)
	}
	l.oldest.Store(&oldest{offset: o.Offset, time: max(0, o.Timestamp)})
	return nil
}

// Oldest returns the first offset that the journal keeps, and the time of that record in ms since 1970, as they were
// last read. The offset is -1 if it is not known. The time is 0 if it is not known, or if the journal keeps no
// record.
func (l *Log) Oldest() (offset, time int64) {
	o := l.oldest.Load()
	return o.offset, o.time
}

// leaderPatience is how long requests for the journal's offsets are repeated while the journal has no leader or is out
// of reach. A start should not restore everything again because a broker was just restarted. Kafka takes 9 s to miss a
// broker (broker.session.timeout.ms), and elects another leader then.
const leaderPatience = 15 * time.Second

// leaderSilence is how long such a wait is not worth a message.
const leaderSilence = 2 * time.Second

func (l *Log) offset(ctx context.Context, list broker.Listing) (offset int64, err error) {
	told := false
	err = retry.While(ctx, 50*time.Millisecond, func() error {
		o, err := broker.OffsetOf(ctx, list, l.Topic, 0)
		offset = o.Offset
		return err
	}, func(err error, since time.Duration) bool {
		if !told && since > leaderSilence {
			told = true
			l.logger.Warn().Err(err).Dur("at_most_ms", leaderPatience).
				Msg("the journal's begin and end cannot be read: asking again")
		}
		return broker.Retriable(err) && since <= leaderPatience
	})
	if err == nil {
		return offset, nil
	}
	err = fmt.Errorf("list offsets of journal: %w", err)
	if broker.Retriable(err) && ctx.Err() == nil {
		err = unanswered(l.Topic, err)
	}
	return 0, err
}

// unanswered says what to do about a journal that has not answered in time. A broker still names a topic for a moment
// that was deleted.
func unanswered(topic string, err error) *broker.Fault {
	if errors.Is(err, kerr.UnknownTopicOrPartition) {
		return &broker.Fault{
			What: "journal " + topic + " is gone: its topic was deleted a moment ago", Err: err,
			Remedy: "start again: the start makes a new journal, or says what was lost with this one",
		}
	}
	return &broker.Fault{What: "journal " + topic + " does not answer", Err: err, Remedy: broker.LookAtLeaders}
}

// Delete deletes the records below an offset.
func (l *Log) Delete(ctx context.Context, below int64) error {
	var offsets kadm.Offsets
	offsets.AddOffset(l.Topic, 0, below, -1)
	deleted, err := l.admin.DeleteRecords(ctx, offsets)
	if err == nil {
		err = deleted.Error() // only this error says that a right is missing
	}
	if err != nil {
		return fmt.Errorf("trim journal: %w", err)
	}
	return nil
}

// OutOfRange says whether the journal could not be followed because its first records were deleted.
func OutOfRange(err error) bool { return errors.Is(err, kerr.OffsetOutOfRange) }
