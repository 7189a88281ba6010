package consumer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/protocol"
)

// Topics may refuse timestamps that are too far from the broker's clock (INVALID_TIMESTAMP). A document that has one is no
// accident: it goes to rejected with the present time, and its own in a header. What no output would take by the limits that
// were read at the start goes there at once; what is refused all the same is dealt with one by one, as every refusal.

// outputTimes are the timestamps that the outputs of a source topic take.
type outputTimes struct{ unique, duplicate, rejected broker.Times }

// knownTimes are those that were read last, by source topic.
type knownTimes struct {
	mu   sync.RWMutex
	of   map[string]outputTimes
	read time.Time // again
}

func (k *knownTimes) get(source string) (outputTimes, bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	of, known := k.of[source]
	return of, known
}

func (k *knownTimes) set(source string, of outputTimes) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.of[source] = of
}

// may says that it is time to read again, at most once in againEvery.
func (k *knownTimes) may(now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	due := now.Sub(k.read) >= againEvery
	if due {
		k.read = now
	}
	return due
}

const againEvery = 10 * time.Second

// clockMargin is how far this machine's clock and the broker's are taken to differ, with the time that a transaction takes.
const clockMargin = 5 * time.Second

// readTimes reads what the outputs of a source topic take, and says what they refuse of what the source may hold.
func (s *Service) readTimes(ctx context.Context, topics *broker.Topics, source string) error {
	from, err := topics.Times(ctx, source)
	if forbidden(err) {
		s.setup.Logger.Warn().Err(err).Str("topic", source).Msg("the source's settings cannot be read: its timestamps are not compared with what the outputs take")
		err = nil
	}
	if err != nil {
		return err
	}
	unique, duplicate, rejected := s.setup.Sink.Topics(source)
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
			s.setup.Logger.Warn().Str("topic", output.name).Str("setting", m.What).Str("remedy", m.Remedy).Msg("an output topic limits timestamps: " + m.Why)
		}
	}
	s.shared.times.set(source, of)
	return nil
}

// readTimesAgain is for when a topic refuses a time that it took before: from then on such go to rejected at once. What cannot be
// read now stays as it is.
func (s *session) readTimesAgain(ctx context.Context, source string) {
	if !s.times.may(time.Now()) {
		return
	}
	topics := broker.NewTopics(s.admin, s.logger)
	unique, duplicate, rejected := s.outputs.Topics(source)
	var of outputTimes
	var errs [3]error
	of.unique, errs[0] = topics.Times(ctx, unique)
	of.duplicate, errs[1] = topics.Times(ctx, duplicate)
	of.rejected, errs[2] = topics.Times(ctx, rejected)
	if errors.Join(errs[:]...) == nil {
		s.times.set(source, of)
	}
}

// untimely says why no output would take a document of that time, whatever its verdict.
func (sh *shared) untimely(r *kgo.Record, now time.Time) (detail string, refused bool) {
	of, known := sh.times.get(r.Topic)
	ms := r.Timestamp.UnixMilli()
	if !known || of.unique.Take(ms, now.UnixMilli(), -clockMargin) || of.duplicate.Take(ms, now.UnixMilli(), -clockMargin) {
		return "", false
	}
	away, side := now.Sub(r.Timestamp), "before"
	if away < 0 {
		away, side = -away, "after"
	}
	return fmt.Sprintf("its timestamp is %s %s the present, and the output topics take none such", away.Truncate(time.Second), side), true
}

// foresee lets the batch deal with documents whose verdict leads to an output that would refuse their time.
func (s *session) foresee(b *batch) {
	now := time.Now().UnixMilli()
	b.Foresee(s.header(), func(a *assignment, d *protocol.Document) bool {
		of, known := s.times.get(a.Topic)
		output := of.unique
		if !d.Verdict.Unique() {
			output = of.duplicate
		}
		return known && !s.dryRun && !output.Take(d.Entry.Time, now, -clockMargin)
	})
}

// rejectedAt is the timestamp of a document in rejected: none where it may have its own.
func (s *session) rejectedAt(r *kgo.Record, a *assignment) (at time.Time) {
	now := time.Now()
	of, known := s.times.get(r.Topic)
	if a.Retimed(r.Offset) || known && !of.rejected.Take(r.Timestamp.UnixMilli(), now.UnixMilli(), clockMargin) {
		return now
	}
	return at
}
