package routing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/journal"
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

// append appends a record to the journal, and returns its offset.
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
