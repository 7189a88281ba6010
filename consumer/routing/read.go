package routing

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
)

// State is what a journal says is in force.
type State struct {
	Settings []byte // canonical text that the journal was begun with; nil: none was declared yet
	Bounds   index.Bounds
	Routes   index.Routes
	End      int64 // of the journal

	replaced map[uint64]uint32 // hashes of bounds that were in force, and their numbers
}

// Journal is the journal to read.
type Journal struct {
	Options topic.Options
	Topic   string
	Group   string
}

// readFirst is how many records of the journal's end are read first. As a rule they go back several snapshots, at a few
// records a batch.
const readFirst = 4096

// Read returns what is in force at the journal's present end. It reads backwards in growing parts until it has a
// checkpoint and all records behind the state that the checkpoint is about. That is a minute's worth as a rule, and the
// whole journal if no member has taken a snapshot yet.
//
// Members may trim the journal meanwhile. Then it is read anew.
func (j *Journal) Read(ctx context.Context) (state State, err error) {
	for range readTries {
		if state, err = j.read(ctx); !journal.OutOfRange(err) {
			break
		}
	}
	return state, err
}

// readTries is more than members trim while a journal's end is read.
const readTries = 5

func (j *Journal) read(ctx context.Context) (State, error) {
	start, end, err := topic.Extent(ctx, j.Options, j.Topic, 0)
	if err != nil {
		return State{}, err
	}
	for n := int64(readFirst); ; n *= 8 {
		r := reading{from: max(start, end-n), whole: end-n <= start, group: j.Group}
		if err := topic.ReadPart(ctx, j.Options, j.Topic, 0, r.from, end, r.take); err != nil {
			return State{}, err
		}
		if r.known() || r.whole {
			r.state.End = end
			return r.state, nil
		}
	}
}

// reading follows the rules of index.Replica for settings, bounds and routing only.
type reading struct {
	from  int64
	whole bool   // it begins where the journal begins
	group string // the group to which the journal belongs

	state  State       // without settings as long as nothing is known
	before []change    // the changes that were read before anything was known
	bound  []newBounds // as before
}

type change struct {
	at int64
	index.Routing
}

type newBounds struct {
	at int64
	index.SettingsChange
}

func (r *reading) known() bool { return r.state.Settings != nil }

func (r *reading) take(rec *topic.Record) error {
	if len(rec.Key) > 0 && string(rec.Key) != r.group {
		return nil
	}
	decoded, err := journal.Decode(rec.Value)
	if errors.Is(err, journal.ErrNewer) {
		return fmt.Errorf("read journal %s: record %d: %w", rec.Topic, rec.Offset, err)
	}
	switch decoded := decoded.(type) {
	case *index.Settings:
		if r.whole && !r.known() {
			r.state.Settings = bytes.Clone(decoded.Text)
			r.state.Bounds = index.Bounds{Text: index.BoundsOf(decoded.Text)}
		}
	case *index.Checkpoint:
		r.checkpoint(decoded)
	case *index.Routing:
		r.routing(change{rec.Offset, *decoded})
	case *index.SettingsChange:
		r.bounds(newBounds{rec.Offset, *decoded})
	}
	return nil // a record that members pass over decodes to nil, and changes nothing
}

// checkpoint takes over the first checkpoint about a state from which on every routing has been read.
func (r *reading) checkpoint(c *index.Checkpoint) {
	if r.known() || !r.whole && c.Offset < r.from || index.Recorded(c.Settings) != c.Fingerprint {
		return
	}
	r.state = State{Settings: bytes.Clone(c.Settings), Routes: c.Routes, Bounds: c.Bounds}
	if c.Bounds.Number == 0 {
		r.state.Bounds = index.Bounds{Text: index.BoundsOf(c.Settings)}
	}
	for _, b := range r.before {
		if b.at >= c.Offset {
			r.routing(b)
		}
	}
	for _, b := range r.bound {
		if b.at >= c.Offset {
			r.bounds(b)
		}
	}
}

func (r *reading) bounds(c newBounds) {
	now := &r.state.Bounds
	switch {
	case !r.known():
		r.bound = append(r.bound, c)
	case c.Fingerprint != index.Recorded(r.state.Settings), c.Number != now.Number+1: // changes nothing
	default:
		if r.state.replaced == nil {
			r.state.replaced = map[uint64]uint32{}
		}
		r.state.replaced[index.Hash(now.Text)] = now.Number
		*now = c.Bounds
	}
}

func (r *reading) routing(c change) {
	now := &r.state.Routes
	switch {
	case !r.known():
		r.before = append(r.before, c)
	case c.Fingerprint != index.Recorded(r.state.Settings), c.Number == 0, now.Number > 0 && c.Number != now.Number+1: // changes nothing
	default:
		*now = c.Routes
	}
}
