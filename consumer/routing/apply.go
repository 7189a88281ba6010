package routing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
)

// ErrOvertaken says that somebody else has changed the same first, to something else than ours.
var ErrOvertaken = errors.New("it was changed by somebody else at the same moment")

// Apply puts text in force in place of the routing in from, and returns what is in force then. Of two changes at the
// same time the first counts, so it reads the journal again if a record came between.
func (j *Journal) Apply(ctx context.Context, p journal.Params, from State, text []byte) (State, error) {
	next := from
	next.Routes = index.Routes{Number: from.Routes.Number + 1, Text: text}
	change := &index.Routing{Header: from.header(), Routes: next.Routes}
	return j.put(ctx, p, change, next, func(s *State) bool { return bytes.Equal(s.Routes.Text, text) })
}

// ApplyBounds does for bounds what Apply does for a routing.
func (j *Journal) ApplyBounds(ctx context.Context, p journal.Params, from State, text []byte) (State, error) {
	next := from
	next.replace(index.Bounds{Number: from.Bounds.Number + 1, Text: text})
	change := &index.SettingsChange{Header: from.header(), Bounds: next.Bounds}
	return j.put(ctx, p, change, next, func(s *State) bool { return bytes.Equal(s.Bounds.Text, text) })
}

// header is that of a change of what is in force.
func (s *State) header() index.Header {
	return index.Header{Fingerprint: index.Fingerprint(s.Settings), Wall: time.Now().UnixMilli()}
}

// put appends a change that makes next of the state that was read, and returns what is in force then. counts says
// whether the change is.
func (j *Journal) put(ctx context.Context, p journal.Params, change index.Record, next State, counts func(*State) bool) (State, error) {
	at, err := j.append(ctx, p, change)
	if err != nil {
		return State{}, err
	}
	if at == next.End {
		next.End++
		return next, nil
	}
	now, err := j.Read(ctx)
	switch {
	case err != nil:
		return State{}, fmt.Errorf("the change stands at %d in the journal, and whether it counts could not be read: %w", at, err)
	case !counts(&now):
		return now, ErrOvertaken
	}
	return now, nil
}

func (j *Journal) append(ctx context.Context, p journal.Params, rec index.Record) (int64, error) {
	p.Topic = j.Topic
	client, err := kgo.NewClient(append(append([]kgo.Opt{}, j.Options...), journal.AppenderOptions(p)...)...)
	if err != nil {
		return 0, fmt.Errorf("open client: %w", err)
	}
	defer client.Close()
	return journal.NewAppender(client, j.Group).Append(ctx, rec)
}

// Replaced returns the number of the bounds that were in force once and were replaced by others, if the text is that
// of such. It knows those that the journal was begun with, and those changes that were read.
func (s *State) Replaced(text []byte) (number uint32, ok bool) {
	if bytes.Equal(text, s.Bounds.Text) {
		return 0, false
	}
	if s.Bounds.Number > 0 && bytes.Equal(text, index.BoundsOf(s.Settings)) {
		return 0, true
	}
	number, ok = s.replaced[index.Hash(text)]
	return number, ok
}

// Unique returns the topics to which a routing sends unique documents, sorted. The group's journal is no source of it.
func Unique(ctx context.Context, admin *kadm.Client, text []byte, journal string) (names []string, err error) {
	choice, err := Chosen(text, journal)
	if err != nil {
		return nil, err
	}
	sources, err := choice.Find(ctx, admin)
	if err != nil {
		return nil, err
	}
	for _, source := range sources {
		if unique, _, _, written := Outputs(text, source); written {
			names = append(names, unique)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// Change puts the routing of a configuration in force in place of that in from, as Apply does. The group's duty stays. It
// names the topics that get no unique documents any more, because a successor remembers what is there.
func (j *Journal) Change(ctx context.Context, p journal.Params, from State, to []byte) (State, error) {
	duty, err := DutyOf(from.Routes.Text)
	if err != nil {
		return State{}, err
	}
	client, err := broker.Open(ctx, j.Options...)
	if err != nil {
		return State{}, err
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	before, err := Unique(ctx, admin, from.Routes.Text, j.Topic)
	if err != nil {
		return State{}, err
	}
	now, err := Unique(ctx, admin, to, j.Topic)
	if err != nil {
		return State{}, err
	}
	duty.Dropped = dropped(&duty, before, now)
	return j.Apply(ctx, p, from, WithDuty(to, &duty))
}

// dropped returns the topics that get no unique documents any more, with those of a duty. A group that fills its window
// has written none yet: what stands in its topics is from somebody else.
func dropped(d *protocol.Duty, before, now []string) (names []string) {
	names = slices.Clone(d.Dropped)
	if d.Kind != protocol.Fills {
		names = append(names, before...)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return slices.Contains(now, name) })
}
