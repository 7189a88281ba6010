package routing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
)

// ErrBoundsOvertaken says that somebody else has changed the bounds first, to others than ours.
var ErrBoundsOvertaken = errors.New("the bounds were changed by somebody else at the same moment")

// ApplyBounds puts bounds in force in place of those in from, and returns what is in force then. Of two changes at
// the same time the first counts, as with Apply.
func (j *Journal) ApplyBounds(ctx context.Context, p journal.Params, from State, text []byte) (State, error) {
	change := &index.SettingsChange{
		Header: index.Header{Fingerprint: index.Fingerprint(from.Settings), Wall: time.Now().UnixMilli()},
		Bounds: index.Bounds{Number: from.Bounds.Number + 1, Text: text},
	}
	at, err := j.append(ctx, p, change)
	if err != nil {
		return State{}, err
	}
	now, err := j.Read(ctx)
	switch {
	case err != nil:
		return State{}, fmt.Errorf("the change stands at %d in the journal, and whether it counts could not be read: %w", at, err)
	case !bytes.Equal(now.Bounds.Text, text):
		return now, ErrBoundsOvertaken
	}
	return now, nil
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
