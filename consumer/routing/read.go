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

// State is what a journal says.
type State struct {
	Settings []byte // canonical text of those in force; nil: none were declared yet
	Routes   index.Routes
	End      int64 // of the journal
}

// Journal is where to look.
type Journal struct {
	Options topic.Options
	Topic   string
	Group   string
}

// readFirst is how much of the journal's end is read at first: some snapshots' worth, as a rule, at a few records a batch.
const readFirst = 4096

// Read says what is in force at the journal's present end. It reads backwards, in parts that grow, until it has a checkpoint and
// all that follows what the checkpoint is about; that is a minute's worth, as a rule, or the whole journal where no member has
// taken a snapshot yet.
func (j *Journal) Read(ctx context.Context) (State, error) {
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

// reading follows the rules of index.Replica, for settings and routing alone.
type reading struct {
	from  int64
	whole bool   // it begins where the journal does
	group string // whose journal it is

	state  State    // without settings: nothing is known yet
	before []change // that were read until then
}

type change struct {
	at int64
	index.Routing
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
		}
	case *index.Checkpoint:
		r.checkpoint(decoded)
	case *index.Routing:
		r.routing(change{rec.Offset, *decoded})
	}
	return nil // what no member reads is nil, and changes nothing
}

// checkpoint takes the first that is about a state behind which every routing was read.
func (r *reading) checkpoint(c *index.Checkpoint) {
	if r.known() || !r.whole && c.Offset < r.from || index.Fingerprint(c.Settings) != c.Fingerprint {
		return
	}
	r.state = State{Settings: bytes.Clone(c.Settings), Routes: c.Routes}
	for _, b := range r.before {
		if b.at >= c.Offset {
			r.routing(b)
		}
	}
}

func (r *reading) routing(c change) {
	now := &r.state.Routes
	switch {
	case !r.known():
		r.before = append(r.before, c)
	case c.Fingerprint != index.Fingerprint(r.state.Settings), c.Number == 0, now.Number > 0 && c.Number != now.Number+1: // changes nothing
	default:
		*now = c.Routes
	}
}
