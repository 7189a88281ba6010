package consumer

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/routing"
)

// sourcesEvery is how often a process looks for topics that source.pattern brings: soon enough for a person who waits
// for a new topic, and seldom enough for a cluster with many.
const sourcesEvery = 10 * time.Second

// goneAfter is how many looks in a row a topic has to be missing before it is given up. A broker that has just begun
// does not know all topics.
const goneAfter = 2

// Untaken is a topic that source.pattern fits and that is not read: its outputs are not as they must be. It is tried
// again with each look.
type Untaken struct{ Topic, Why string }

// lookout remembers what was found of topics that come and go.
type lookout struct {
	missing map[string]int // looks in a row, by topic that is read

	mu      sync.Mutex
	untaken map[string]string // why, by topic
}

func newLookout() *lookout { return &lookout{missing: map[string]int{}, untaken: map[string]string{}} }

// refuse notes why a topic is not taken up. It says whether that is news.
func (l *lookout) refuse(topic string, why error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.untaken[topic]
	l.untaken[topic] = why.Error()
	return before != why.Error()
}

// keep forgets topics that are refused no more.
func (l *lookout) keep(refused map[string]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.untaken, func(topic, _ string) bool { return !refused[topic] })
}

// list returns them in order.
func (l *lookout) list() (all []Untaken) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for topic, why := range l.untaken {
		all = append(all, Untaken{topic, why})
	}
	slices.SortFunc(all, func(a, b Untaken) int { return strings.Compare(a.Topic, b.Topic) })
	return all
}

// watchSources looks for topics that come and go until ctx is done. A look that fails stops nothing: what is read is
// read on.
func (p *process) watchSources(ctx context.Context) {
	if !p.session.Sources.Choice.Open() {
		return
	}
	tick := time.NewTicker(cmp.Or(p.setup.sourcesEvery, sourcesEvery))
	defer tick.Stop()
	for failing := false; ; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		err := p.lookForSources(ctx, p.cluster.Client)
		if err != nil && !failing && ctx.Err() == nil {
			p.setup.Logger.Warn().Err(err).
				Msg("topics that source.pattern brings cannot be looked for: what is read is read on, and the next look may tell")
		}
		failing = err != nil
	}
}

// lookForSources takes up the topics that are there and fit source.pattern, and gives up those that are gone. A topic
// is taken up when its outputs are there and as they must be; one that is not ready holds up no other. The error says
// that Kafka did not answer as it should.
func (s *Service) lookForSources(ctx context.Context, client *kgo.Client) error {
	existing, err := routing.Existing(ctx, kadm.NewClient(client))
	if err != nil {
		return err
	}
	choice := s.session.Sources.Choice
	now, _ := s.session.Sources.List()
	refused := map[string]bool{}
	var next []string
	var failed []error
	for _, name := range choice.Among(existing) {
		if choice.Names(name) || slices.Contains(now, name) {
			next = append(next, name)
			continue
		}
		switch err := s.takeUp(ctx, client, name); {
		case err == nil:
			next = append(next, name)
		case errors.Is(err, errGone):
		case broker.Passing(err):
			failed = append(failed, err)
		default:
			refused[name] = true
			if s.lookout.refuse(name, err) {
				s.setup.Logger.Error().Err(err).Str("topic", name).
					Msg("a topic that source.pattern fits is not read: its outputs are not ready, the others go on")
			}
		}
	}
	s.lookout.keep(refused)
	next = append(next, s.stillRead(now, existing)...)
	slices.Sort(next[len(choice.Among(nil)):])
	s.session.Sources.Set(next)
	return errors.Join(failed...)
}

// errGone says that a topic was deleted in this moment.
var errGone = errors.New("the topic is gone")

// takeUp makes sure of a topic that source.pattern fits, and of its outputs.
func (s *Service) takeUp(ctx context.Context, client *kgo.Client, name string) error {
	for _, m := range Loops(s.setup.Params, SourceParams{Topics: []string{name}}, s.setup.Journal, s.setup.Sink) {
		return &broker.Fault{What: m.Key + ": " + m.Value + ": " + m.Problem, Remedy: m.Remedy}
	}
	topics := broker.NewTopics(client, s.setup.Logger)
	found, err := topics.Describe(ctx, name)
	if errors.Is(err, broker.ErrMissing) {
		return errGone
	}
	if err == nil {
		err = s.readySource(ctx, topics, found[0])
	}
	if err != nil {
		return err
	}
	s.session.Counters.Count(name)
	s.setup.Logger.Info().Str("topic", name).Int("partitions", found[0].Partitions).
		Msg("a topic that source.pattern fits is taken up")
	return nil
}

// stillRead returns the topics that are read and not among those that exist, and may be there all the same.
func (s *Service) stillRead(now, existing []string) (still []string) {
	for _, name := range now {
		if s.session.Sources.Choice.Names(name) || slices.Contains(existing, name) {
			delete(s.lookout.missing, name)
			continue
		}
		if s.lookout.missing[name]++; s.lookout.missing[name] < goneAfter {
			still = append(still, name)
			continue
		}
		delete(s.lookout.missing, name)
		s.setup.Logger.Warn().Str("topic", name).
			Msg("a topic that source.pattern fits is gone, or cannot be seen any more: it is read no longer")
	}
	return still
}
