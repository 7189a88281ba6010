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

// ErrOvertaken says that somebody else has changed the routing first, to another one than ours.
var ErrOvertaken = errors.New("the routing was changed by somebody else at the same moment")

// Apply puts text in force in place of the routing in from, and returns what is in force then. Of two changes at the
// same time the first counts, so Apply reads the journal again if a record came between.
func (j *Journal) Apply(ctx context.Context, p journal.Params, from State, text []byte) (State, error) {
	change := &index.Routing{
		Header: index.Header{Fingerprint: index.Fingerprint(from.Settings), Wall: time.Now().UnixMilli()},
		Routes: index.Routes{Number: from.Routes.Number + 1, Text: text},
	}
	at, err := j.append(ctx, p, change)
	if err != nil {
		return State{}, err
	}
	if at == from.End {
		return State{Settings: from.Settings, Bounds: from.Bounds, Routes: change.Routes, End: at + 1}, nil
	}
	now, err := j.Read(ctx)
	switch {
	case err != nil:
		return State{}, fmt.Errorf("the change stands at %d in the journal, and whether it counts could not be read: %w", at, err)
	case !bytes.Equal(now.Routes.Text, text):
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
