package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/sink"
)

// Topics may refuse timestamps that are too far from the broker's clock (INVALID_TIMESTAMP). A document that has one
// is no accident: it goes to rejected with the present time, and its own in a header. A document that no output would
// take, by the limits that were read at the start, goes there at once. One that is refused all the same is dealt with
// alone, as every refusal. Where a topic refuses the present time too, a clock is off: records of that topic that would
// have it are written without a time, which every topic takes.

// outputTimes are the timestamps that the outputs of a source topic take.
type outputTimes struct{ unique, duplicate, rejected broker.Times }

// Times are the timestamps that outputs take, by source topic, as they were read last.
type Times struct {
	sink sink.Params

	mu   sync.RWMutex
	of   map[string]outputTimes
	read time.Time // again

	refused map[string]time.Time // when an output topic last refused the present time
}

// NewTimes knows of no limits.
func NewTimes(p sink.Params) *Times {
	return &Times{sink: p, of: map[string]outputTimes{}, refused: map[string]time.Time{}}
}

func (t *Times) get(source string) (outputTimes, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	of, known := t.of[source]
	return of, known
}

func (t *Times) set(source string, of outputTimes) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of[source] = of
}

// may says that it is time to look again why a time was refused, at most once in againEvery.
func (t *Times) may(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	due := now.Sub(t.read) >= againEvery
	if due {
		t.read = now
	}
	return due
}

const againEvery = 10 * time.Second

// presence is the timestamp of records that do not have their document's: the present time, or none in topics that
// refused that a while ago.
type presence struct {
	now     time.Time
	without []string // these topics get none
}

func (p presence) in(topic string) time.Time {
	if slices.Contains(p.without, topic) {
		return time.UnixMilli(broker.Untimed)
	}
	return p.now
}

func (t *Times) presence(now time.Time) presence {
	t.mu.RLock()
	defer t.mu.RUnlock()
	p := presence{now: now}
	for topic, at := range t.refused {
		if time.Since(at) < mistrust {
			p.without = append(p.without, topic)
		}
	}
	return p
}

// refuse notes that a topic has refused the present time. It says whether that is news.
func (t *Times) refuse(topic string, now time.Time) (news bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	last, ever := t.refused[topic]
	t.refused[topic] = now
	return !ever || now.Sub(last) >= mistrust
}

// mistrust is how long the present time is not tried again after a topic has refused it.
const mistrust = 10 * time.Minute

// clockMargin is how far this machine's clock and the broker's are taken to differ, with the time that a transaction
// takes.
const clockMargin = 5 * time.Second

// Read reads what the outputs of a source topic take, and says what they refuse of what the source may hold.
func (t *Times) Read(ctx context.Context, topics *broker.Topics, source string, logger zerolog.Logger) error {
	from, err := topics.Times(ctx, source)
	if broker.Forbidden(err) {
		logger.Warn().Err(err).Str("topic", source).
			Msg("the source's settings cannot be read: its timestamps are not compared with what the outputs take")
		err = nil
	}
	if err != nil {
		return err
	}
	unique, duplicate, rejected := t.sink.Topics(source)
	var of outputTimes
	for _, output := range []struct {
		name  string
		times *broker.Times
	}{{unique, &of.unique}, {duplicate, &of.duplicate}, {rejected, &of.rejected}} {
		if *output.times, err = topics.Times(ctx, output.name); err != nil {
			return err
		}
		if output.name == rejected {
			break // what it refuses comes with another time
		}
		for _, m := range topics.Untimely(source, output.name, from, *output.times) {
			logger.Warn().Str("topic", output.name).Str("setting", m.What).Str("remedy", m.Remedy).
				Msg("an output topic limits timestamps: " + m.Why)
		}
	}
	t.set(source, of)
	return nil
}

// readAgain reads the limits again after a topic has refused a time that it took before. Documents with such times
// then go to rejected at once. Limits that cannot be read now stay as they are.
func (t *Times) readAgain(ctx context.Context, topics *broker.Topics, source string) {
	unique, duplicate, rejected := t.sink.Topics(source)
	var of outputTimes
	var errs [3]error
	of.unique, errs[0] = topics.Times(ctx, unique)
	of.duplicate, errs[1] = topics.Times(ctx, duplicate)
	of.rejected, errs[2] = topics.Times(ctx, rejected)
	if errors.Join(errs[:]...) == nil {
		t.set(source, of)
	}
}

// Untimely says why no output would take a document of that time, whatever its verdict.
func (t *Times) Untimely(r *kgo.Record, now time.Time) (detail string, refused bool) {
	of, known := t.get(r.Topic)
	ms := r.Timestamp.UnixMilli()
	if !known || of.unique.Take(ms, now.UnixMilli(), -clockMargin) ||
		of.duplicate.Take(ms, now.UnixMilli(), -clockMargin) {
		return "", false
	}
	away, side := now.Sub(r.Timestamp), "before"
	if away < 0 {
		away, side = r.Timestamp.Sub(now), "after"
	}
	far := away.Truncate(time.Second).String()
	if away == math.MaxInt64 {
		far = "292 years and more"
	}
	return fmt.Sprintf("its timestamp is %s %s the present, and the output topics take none such", far, side), true
}

// checkTimes lets the batch deal with documents whose verdict leads to an output that would refuse their time.
func (s *Setup) checkTimes(b *protocol.Batch) {
	now, foresees := s.brokersNow().UnixMilli(), s.foresees()
	b.CheckTimes(s.Log.Header(), func(a *assignment, d *protocol.Document) bool {
		of, known := s.Times.get(a.Topic)
		output := of.unique
		if !d.Verdict.Unique() {
			output = of.duplicate
		}
		takes := sink.Writable(d.Entry.Time) && (!known || !foresees || output.Take(d.Entry.Time, now, -clockMargin))
		return !takes && !s.Sink.DryRun
	})
}

// rejectedAt returns the timestamp that a document gets in rejected. It is zero if the document may keep its own.
func (s *Setup) rejectedAt(r *kgo.Record, a *assignment, present presence) (at time.Time) {
	of, known := s.Times.get(r.Topic)
	ms := r.Timestamp.UnixMilli()
	if a.Retimed(r.Offset) || !sink.Writable(ms) || known && !of.rejected.Take(ms, s.brokersNow().UnixMilli(), clockMargin) {
		_, _, rejected := s.Sink.Topics(r.Topic)
		return present.in(rejected)
	}
	return at
}

// timeRefused looks again what decides which times are foreseen as refused. While a backlog of such documents is refused
// one by one, and perhaps the journal does not answer either, it is not done for each of them.
func (s *Setup) timeRefused(ctx context.Context, source string) {
	if s.Times.may(time.Now()) {
		s.Times.readAgain(ctx, broker.NewTopics(s.Cluster.Client, s.Logger), source)
		s.compareClocks(ctx)
	}
}

// compareClocks appends a mark where the clocks were not compared lately: where no document is judged, nothing else is
// appended. It does not wait for a journal that is away.
func (s *Setup) compareClocks(ctx context.Context) {
	if s.foresees() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	mark := journal.Append(nil, &index.Mark{Header: s.Log.Header(), Number: rand.Uint64()})
	if _, err := s.Log.Put(ctx, mark); err != nil {
		s.Logger.Warn().Err(err).Msg("an output refused a timestamp, and the clocks could not be compared by the journal")
	}
}

// withoutTime says that another try without a time may succeed where a topic has refused the present one.
func (s *Setup) withoutTime(present presence, cause error) bool {
	var by *writeError
	if !untimely(cause) || !errors.As(cause, &by) || present.in(by.topic).UnixMilli() == broker.Untimed {
		return false
	}
	if s.Times.refuse(by.topic, time.Now()) {
		s.Logger.Error().Err(cause).Dur("for_ms", mistrust).
			Msg("a topic refuses the present time: records that would have it are written without a time, compare the clocks " +
				"of this machine and the brokers")
	}
	return true
}
