package consumer

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/measure"
	"github.com/unecho/unecho/consumer/outputs"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/sink"
)

// sourcesEvery is how often a process looks for topics that sources.pattern brings: soon enough for a person who waits
// for a new topic, and seldom enough for a cluster with many.
const sourcesEvery = 10 * time.Second

// goneAfter is how many looks in a row a topic has to be missing before it is given up. A broker that has just begun
// does not know all topics.
const goneAfter = 2

// Untaken is a topic that sources.pattern fits and that is not read: its outputs are not as they must be. It is tried
// again with each look.
type Untaken struct{ Topic, Why string }

// lookout finds the topics of the source that come and go.
type lookout struct {
	setup    *Setup
	sources  *routing.Topics
	times    *outputs.Times
	counters *measure.Counters
	demand   setting.Bytes // an output record must be taken that is as large
	taken    setting.Bytes // and those up to this are, by all outputs

	missing map[string]int            // looks in a row, by topic that is read
	untaken atomic.Pointer[[]Untaken] // in order
}

// Run looks for topics that come and go until ctx is done. A look that fails stops nothing: what is read is read on.
func (l *lookout) Run(ctx context.Context, client *kgo.Client) {
	if !l.sources.Choice.Open() {
		return
	}
	l.sources.Began()
	for failing := false; retry.Pause(ctx, cmp.Or(l.setup.sourcesEvery, sourcesEvery)) == nil; {
		err := l.look(ctx, client)
		if err != nil && !failing && ctx.Err() == nil {
			l.setup.Logger.Warn().Err(err).
				Msg("topics of sources.pattern cannot be listed: those that are read go on, and unecho looks again")
		}
		failing = err != nil
	}
}

// look takes up the topics that are there and fit sources.pattern, and gives up those that are gone. A topic is taken
// up when its outputs are there and as they must be; one that is not ready holds up no other. The error says that Kafka
// did not answer as it should.
func (l *lookout) look(ctx context.Context, client *kgo.Client) error {
	existing, err := routing.Existing(ctx, kadm.NewClient(client))
	if err != nil {
		return err
	}
	choice := l.sources.Choice
	now, _ := l.sources.List()
	var next []string
	var untaken []Untaken
	var failed []error
	for _, name := range choice.Among(existing) {
		if choice.Names(name) || slices.Contains(now, name) {
			next = append(next, name)
			continue
		}
		switch err := l.takeUp(ctx, client, name); {
		case err == nil:
			next = append(next, name)
		case errors.Is(err, errGone):
		case broker.Transient(err):
			failed = append(failed, err)
		default:
			is := Untaken{name, err.Error()}
			untaken = append(untaken, is)
			if !slices.Contains(*l.untaken.Load(), is) {
				l.setup.Logger.Error().Err(err).Str("topic", name).
					Msg("a topic that sources.pattern fits is not read: its outputs are not ready, the others go on")
			}
		}
	}
	slices.SortFunc(untaken, func(a, b Untaken) int { return strings.Compare(a.Topic, b.Topic) })
	l.untaken.Store(&untaken)
	next = append(next, l.stillRead(now, existing)...)
	slices.Sort(next[len(choice.Among(nil)):])
	l.sources.Set(next)
	return errors.Join(failed...)
}

// errGone says that a topic was deleted in this moment.
var errGone = errors.New("the topic is gone")

// takeUp makes sure of a topic that sources.pattern fits, and of its outputs.
func (l *lookout) takeUp(ctx context.Context, client *kgo.Client, name string) error {
	for _, m := range Loops(l.setup.Params, []document.Source{{Topics: []string{name}}}, l.setup.Sink) {
		return &broker.Fault{What: m.Key + ": " + m.Value + ": " + m.Problem, Remedy: m.Remedy}
	}
	topics := broker.NewTopics(client, l.setup.Logger)
	found, err := topics.Describe(ctx, name)
	if errors.Is(err, broker.ErrMissing) {
		return errGone
	}
	if err == nil {
		err = l.ready(ctx, topics, found[0])
	}
	if err != nil {
		return err
	}
	l.counters.Count(name)
	l.setup.Logger.Info().Str("topic", name).Int("partitions", found[0].Partitions).
		Msg("a topic that sources.pattern fits is taken up")
	return nil
}

// ready makes sure that a source topic can be read, and that its outputs are there and right.
func (l *lookout) ready(ctx context.Context, topics *broker.Topics, source broker.Topic) error {
	if err := topics.CheckSource(ctx, source.Name, int(l.setup.Params.FetchBytes)); err != nil || l.setup.Sink.DryRun {
		return err
	}
	wants := outputs.Wants(&l.setup.Sink, protocol.NewMode(l.setup.Plan), source)
	wants[0].MustTake = int(l.demand)
	made, err := topics.EnsureOutputs(ctx, wants...)
	if err != nil {
		return err
	}
	for _, topic := range made[:len(wants[0].Names)] { // not that of verdicts
		if most := setting.Bytes(topic.MaxMessageBytes); most >= l.demand { // else it is unknown
			l.taken = min(l.taken, most)
		}
	}
	return l.times.Read(ctx, topics, source.Name, l.setup.Logger)
}

// fit finds how large an output record must be taken. Where nobody has raised advanced.max_document_bytes, and no source
// accepts as much as the settings allow, outputs need take no more than the sources accept: what is larger with its
// headers, or was compressed, is rejected as too large before it is judged. Topics that are yet to come may accept any size.
func (l *lookout) fit(ctx context.Context, topics *broker.Topics) (err error) {
	l.taken = l.setup.Sink.MaxRecordBytes
	l.demand = l.taken
	if l.sources.Choice.Open() || l.taken > sink.DefaultParams().MaxRecordBytes {
		return nil
	}
	largest, err := topics.Largest(ctx, document.Named(l.setup.Sources), int(l.taken))
	l.demand = max(setting.Bytes(largest), sink.MinRecordBytes)
	return err
}

// stillRead returns the topics that are read and not among those that exist, and may be there all the same.
func (l *lookout) stillRead(now, existing []string) (still []string) {
	for _, name := range now {
		if l.sources.Choice.Names(name) || slices.Contains(existing, name) {
			delete(l.missing, name)
			continue
		}
		if l.missing[name]++; l.missing[name] < goneAfter {
			still = append(still, name)
			continue
		}
		delete(l.missing, name)
		l.setup.Logger.Warn().Str("topic", name).
			Msg("a topic that sources.pattern fits is gone, or cannot be seen any more: it is not read any more")
	}
	return still
}
