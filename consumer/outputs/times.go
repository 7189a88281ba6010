package outputs

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
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

	mu    sync.RWMutex
	of    map[string]outputTimes
	again time.Time // when they were read again

	refused map[string]time.Time // when an output topic last refused the present time
}

// NewTimes knows of no limits.
func NewTimes(p sink.Params) *Times {
	return &Times{sink: p, of: map[string]outputTimes{}, refused: map[string]time.Time{}}
}

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
	if err := t.read(ctx, topics, source); err != nil {
		return err
	}
	of, _ := t.get(source)
	unique, duplicate, _ := t.sink.Topics(source) // what rejected refuses comes with another time
	for _, output := range []struct {
		name  string
		times broker.Times
	}{{unique, of.unique}, {duplicate, of.duplicate}} {
		if output.name == "" { // duplicates are dropped
			continue
		}
		for _, m := range topics.Untimely(source, output.name, from, output.times) {
			logger.Warn().Str("topic", output.name).Str("setting", m.What).Str("remedy", m.Remedy).
				Msg("an output topic limits timestamps: " + m.Why)
		}
	}
	return nil
}

// read reads what the outputs of a source topic take. What cannot be read now stays as it is.
func (t *Times) read(ctx context.Context, topics *broker.Topics, source string) (err error) {
	unique, duplicate, rejected := t.sink.Topics(source)
	var of outputTimes
	for _, output := range []struct {
		name  string
		times *broker.Times
	}{{unique, &of.unique}, {duplicate, &of.duplicate}, {rejected, &of.rejected}} {
		if output.name == "" { // duplicates are dropped
			*output.times = broker.AnyTime()
			continue
		}
		if *output.times, err = topics.Times(ctx, output.name); err != nil {
			return err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of[source] = of
	return nil
}

func (t *Times) get(source string) (outputTimes, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	of, known := t.of[source]
	return of, known
}

// untimely says why no output would take a document of that time, whatever its verdict.
func (t *Times) untimely(r *kgo.Record, now time.Time) (detail string, refused bool) {
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

// clockMargin is how far this machine's clock and the broker's are taken to differ, with the time that a transaction
// takes.
const clockMargin = 5 * time.Second

// mayReadAgain says that it is time to look again why a time was refused, at most once in againEvery.
func (t *Times) mayReadAgain(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	due := now.Sub(t.again) >= againEvery
	if due {
		t.again = now
	}
	return due
}

const againEvery = 10 * time.Second

// Presence is the timestamp of records that do not have their document's: the present time, or none in topics that
// refused that a while ago.
type Presence struct {
	now     time.Time
	without []string // these topics get none
}

// In returns the timestamp of records of a topic.
func (p Presence) In(topic string) time.Time {
	if slices.Contains(p.without, topic) {
		return time.UnixMilli(broker.Untimed)
	}
	return p.now
}

func (t *Times) presence(now time.Time) Presence {
	t.mu.RLock()
	defer t.mu.RUnlock()
	p := Presence{now: now}
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
