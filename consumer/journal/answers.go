package journal

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Bounds on how long the journal may fail before that is a trouble. Kafka takes 9 s to miss a broker, and nothing is
// forwarded meanwhile.
const (
	failsFor  = 5 * time.Second // it refuses an append, or does not say where it ends
	silentFor = 8 * time.Second // it has taken no append while one is under way; a large one takes its time
)

// answers is what a Log knows of whether its journal answers.
type answers struct {
	mu     sync.Mutex
	open   map[*put]bool
	taken  time.Time // when an append last succeeded
	silent time.Time // since when the journal does not say where it ends; zero: it did when it was last asked
	why    error     // the last answer to that
}

// put is an append under way.
type put struct {
	began   time.Time
	refused time.Time // when the journal first refused it; zero: it has not answered
	why     error     // the last refusal
}

func (a *answers) begins(now time.Time) *put {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := &put{began: now}
	if a.open == nil {
		a.open = map[*put]bool{}
	}
	a.open[p] = true
	return p
}

func (a *answers) refuses(p *put, why error, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p.refused.IsZero() {
		p.refused = now
	}
	p.why = why
}

func (a *answers) ends(p *put, err error, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, p)
	if err == nil {
		a.taken = now
	}
}

// note notes whether the journal said where it ends when it was asked at a moment. A question that was given up by who
// asked says nothing of the journal.
func (a *answers) note(asked time.Time, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case err == nil:
		a.silent, a.why = time.Time{}, nil
	case a.silent.IsZero():
		a.silent, a.why = asked, err
	default:
		a.why = err
	}
}

// Trouble says what keeps the journal from taking appends, and the setting to look at; empty: nothing is known of any.
func (l *Log) Trouble(now time.Time) string {
	a := &l.answers
	a.mu.Lock()
	defer a.mu.Unlock()
	for p := range a.open {
		if since := now.Sub(p.refused); !p.refused.IsZero() && since >= failsFor {
			return l.refusal(p.why, since)
		}
	}
	if since := now.Sub(a.silent); !a.silent.IsZero() && since >= failsFor {
		return fmt.Sprintf("journal %s does not answer for %v (%v): see that its brokers are up, and look at the network to them and at "+
			"kafka.brokers", l.Topic, since.Round(time.Second), a.why)
	}
	for p := range a.open {
		if since := min(now.Sub(p.began), now.Sub(a.taken)); since >= silentFor {
			return fmt.Sprintf("journal %s has taken no append for %v: see that as many of its brokers are up and in sync as "+
				"its min.insync.replicas asks for", l.Topic, since.Round(time.Second))
		}
	}
	return ""
}

func (l *Log) refusal(why error, since time.Duration) string {
	said := fmt.Sprintf("journal %s takes no append for %v (%v): ", l.Topic, since.Round(time.Second), why)
	if errors.Is(why, kerr.MessageTooLarge) || errors.Is(why, kerr.RecordListTooLarge) {
		most, _ := l.client.OptValue(kgo.ProducerBatchMaxBytes).(int32)
		return said + fmt.Sprintf("its max.message.bytes must be at least %d (advanced.max_document_bytes); `unecho doctor` "+
			"has the command", most)
	}
	return said + "`unecho doctor` compares its settings and rights with what they must be"
}
