package routing

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/unecho/unecho/consumer/broker"
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
		if err := j.follow(ctx, r.from, end, r.find); err != nil && !errors.Is(err, errFound) {
			return State{}, err
		}
		if r.known() {
			if err := j.follow(ctx, max(r.from, r.at), end, r.take); err != nil {
				return State{}, err
			}
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
		Options: j.Options, Topic: j.Topic, Params: params, From: journal.Begin{Offset: from, LeaderEpoch: -1}, End: end,
	}
	err := part.Read(ctx, journal.Reader{Owner: j.Group}, func(at index.Stamp, rec index.Record) error {
		if rec == nil {
			return nil
		}
		return fn(at.Offset, rec)
	})
	if err != nil && !errors.Is(err, errFound) {
		return fmt.Errorf("read journal %s: %w", j.Topic, err)
	}
	return err
}

// reading follows the rules of index.Replica for settings, bounds and routing only. It finds settings first, and takes
// changes from where those were in force: so it keeps one record at a time, whatever stands in the journal.
type reading struct {
	from  int64
	whole bool // it begins where the journal begins

	state State // without settings as long as nothing is known
	at    int64 // from here on changes are those of the settings
}

// errFound ends reading when the settings are found.
var errFound = errors.New("found")

func (r *reading) known() bool { return r.state.Settings != nil }

// find takes over the first settings, or the first checkpoint about a state from which on every routing can be read.
func (r *reading) find(at int64, rec index.Record) error {
	switch rec := rec.(type) {
	case *index.Settings:
		if !r.whole {
			return nil
		}
		r.state.Settings, r.at = bytes.Clone(rec.Text), at+1
	case *index.Checkpoint:
		if !r.whole && rec.Offset < r.from || index.Fingerprint(rec.Settings) != rec.Fingerprint {
			return nil
		}
		r.state, r.at = State{Settings: bytes.Clone(rec.Settings), Routes: rec.Routes, Bounds: rec.Bounds}, rec.Offset
		r.state.Routes.Text, r.state.Bounds.Text = bytes.Clone(rec.Routes.Text), bytes.Clone(rec.Bounds.Text)
	default:
		return nil
	}
	if r.state.Bounds.Number == 0 {
		r.state.Bounds = index.Bounds{Text: index.BoundsOf(r.state.Settings)}
	}
	return errFound
}

// take takes over a change.
func (r *reading) take(_ int64, rec index.Record) error {
	switch rec := rec.(type) {
	case *index.Routing:
		r.routing(rec)
	case *index.SettingsChange:
		r.bounds(rec)
	}
	return nil
}

func (r *reading) bounds(c *index.SettingsChange) {
	now := &r.state.Bounds
	if c.Fingerprint != index.Fingerprint(r.state.Settings) || c.Number != now.Number+1 {
		return // it changes nothing
	}
	r.state.replace(index.Bounds{Number: c.Number, Text: bytes.Clone(c.Text)})
}

// replace puts bounds in the place of those in force.
func (s *State) replace(by index.Bounds) {
	if s.replaced == nil {
		s.replaced = map[uint64]uint32{}
	}
	s.replaced[index.Hash(s.Bounds.Text)] = s.Bounds.Number
	s.Bounds = by
}

func (r *reading) routing(c *index.Routing) {
	now := &r.state.Routes
	if c.Fingerprint != index.Fingerprint(r.state.Settings) || c.Number == 0 || now.Number > 0 && c.Number != now.Number+1 {
		return // it changes nothing
	}
	*now = index.Routes{Number: c.Number, Text: bytes.Clone(c.Text)}
}

// Begun returns the settings text that the journal was begun with; nil if there is none yet, or no journal. Of a
// journal that was never trimmed it reads the first records only.
func (j *Journal) Begun(ctx context.Context) ([]byte, error) {
	start, end, err := topic.Extent(ctx, j.Options, j.Topic, 0)
	if errors.Is(err, broker.ErrMissing) || err == nil && end == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if start == 0 {
		settings, err := j.head(ctx, end)
		if !journal.OutOfRange(err) && (settings != nil || err != nil) { // else it was trimmed meanwhile
			return settings, err
		}
	}
	state, err := j.Read(ctx)
	return state.Settings, err
}

// headRecords is how many records are read in search of the settings with which a whole journal begins. Records of
// others may stand before them.
const headRecords = 64

// head returns the settings among the first records; nil if they are not there.
func (j *Journal) head(ctx context.Context, end int64) ([]byte, error) {
	r := reading{whole: true}
	err := j.follow(ctx, 0, min(end, headRecords), r.find)
	if errors.Is(err, errFound) {
		err = nil
	}
	return r.state.Settings, err
}

// AsBegun returns settings with what they leave open as the journal was begun with it: see index.Params.AsBegun.
func (j *Journal) AsBegun(ctx context.Context, p index.Params) (index.Params, error) {
	if !p.Open() {
		return p, nil
	}
	settings, err := j.Begun(ctx)
	if err != nil {
		return p, err
	}
	return p.AsBegun(settings)
}
