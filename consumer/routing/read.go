package routing

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
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
	// MaxEntryBytes is the setting of the group, where it is known; 0: the most that it may be.
	MaxEntryBytes setting.Bytes
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
		r := reading{from: max(start, end-n), whole: end-n <= start}
		err := j.follow(ctx, r.from, end, func(at int64, rec index.Record) error {
			r.take(at, rec)
			return nil
		})
		if err != nil {
			return State{}, err
		}
		if r.known() || r.whole {
			r.state.End = end
			return r.state, nil
		}
	}
}

// follow hands each record of the group from one offset up to another to fn, valid during the call. What members pass
// over is left out. The memory that it takes is bounded, whatever stands in the journal.
func (j *Journal) follow(ctx context.Context, from, end int64, fn func(at int64, rec index.Record) error) error {
	params := journal.Params{MaxEntryBytes: cmp.Or(j.MaxEntryBytes, journal.MostEntryBytes)}
	part := journal.Part{
		Options: j.Options, Topic: j.Topic, Params: params, From: journal.Place{Offset: from, LeaderEpoch: -1}, End: end,
	}
	err := part.Follow(ctx, journal.Handler{
		Owner: j.Group,
		Skip:  func(index.Stamp, int32, *journal.StrayError) error { return nil },
		Apply: func(at index.Stamp, _ int32, rec index.Record) error { return fn(at.Offset, rec) },
	})
	if err != nil && !errors.Is(err, errFound) {
		return fmt.Errorf("read journal %s: %w", j.Topic, err)
	}
	return err
}

// reading follows the rules of index.Replica for settings, bounds and routing only.
type reading struct {
	from  int64
	whole bool // it begins where the journal begins

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

func (r *reading) take(at int64, rec index.Record) {
	switch rec := rec.(type) {
	case *index.Settings:
		if r.whole && !r.known() {
			r.state.Settings = bytes.Clone(rec.Text)
			r.state.Bounds = index.Bounds{Text: index.BoundsOf(r.state.Settings)}
		}
	case *index.Checkpoint:
		r.checkpoint(rec)
	case *index.Routing:
		own := *rec
		own.Text = bytes.Clone(rec.Text)
		r.routing(change{at, own})
	case *index.SettingsChange:
		own := *rec
		own.Text = bytes.Clone(rec.Text)
		r.bounds(newBounds{at, own})
	}
}

// checkpoint takes over the first checkpoint about a state from which on every routing has been read.
func (r *reading) checkpoint(c *index.Checkpoint) {
	if r.known() || !r.whole && c.Offset < r.from || index.Recorded(c.Settings) != c.Fingerprint {
		return
	}
	r.state = State{Settings: bytes.Clone(c.Settings), Routes: c.Routes, Bounds: c.Bounds}
	r.state.Routes.Text, r.state.Bounds.Text = bytes.Clone(c.Routes.Text), bytes.Clone(c.Bounds.Text)
	if c.Bounds.Number == 0 {
		r.state.Bounds = index.Bounds{Text: index.BoundsOf(r.state.Settings)}
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
