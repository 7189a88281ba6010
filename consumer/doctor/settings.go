package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
)

// settings compares the settings in force in the journal with the configuration.
func (p *target) settings(ctx context.Context) ([]Finding, error) {
	if p.topic[p.in.Journal.Topic] == unknown {
		return nil, nil // reported with the topics
	}
	inForce, err := p.inForce(ctx)
	switch {
	case err != nil:
		return nil, err
	case inForce == nil:
		return []Finding{fine("none are in force yet: the first member declares its own")}, nil
	case index.Same(inForce, p.in.Settings):
		return p.bounds(ctx)
	}
	return []Finding{problem(
		fmt.Sprintf("they differ from those that journal %s was begun with: %s", p.in.Journal.Topic,
			strings.Join(index.Diff(p.in.Settings, inForce), "; ")),
		"a member with this configuration does not start", cmp.Or(
			journal.BeginAnew(ctx, p.admin, p.in.Params.Group, p.in.Journal.Topic),
			"use those settings; to change them for all, see \"Change a setting that decides\" in deploy/docs/change.md"))}, nil
}

// shortTexts says what a changed word costs. How long the texts are it does not know.
func (p *target) shortTexts(context.Context) ([]Finding, error) {
	said := p.in.Index.Duplicates.ShortTexts()
	if said == "" {
		return nil, nil
	}
	return []Finding{fine(said + "; " + p.in.Index.Duplicates.ShortAdvice())}, nil
}

// bounds compares the bounds in force with the configuration. A member whose file has others works by those in force.
func (p *target) bounds(ctx context.Context) ([]Finding, error) {
	var state routing.State
	if p.topic[p.in.Journal.Topic] == there {
		var err error
		state, err = (&routing.Journal{Options: p.in.Options, Topic: p.in.Journal.Topic, Group: p.in.Params.Group}).Read(ctx)
		if err != nil {
			return nil, err
		}
	}
	lines := index.BoundsDiff(p.in.Settings, state.Bounds)
	if state.Bounds.Text == nil || len(lines) == 0 {
		return []Finding{fine("those in force in the journal are those of this configuration")}, nil
	}
	remedy, err := applied(&p.in, &state)
	return []Finding{note(
		fmt.Sprintf("other bounds are in force in journal %s: %s", p.in.Journal.Topic, strings.Join(lines, "; ")),
		"a member with this configuration works by those in force",
		"write them into the configuration; "+remedy)}, err
}

// applied says how the bounds of the configuration come in force, or why they cannot.
func applied(in *Inputs, state *routing.State) (remedy string, err error) {
	bounds := index.BoundsOf(in.Settings)
	wrong, err := in.Index.CheckBounds(state.Settings, bounds)
	if err != nil {
		return "", err
	}
	if len(wrong) > 0 {
		return "its own cannot be put in force: " + wrong[0].String(), nil
	}
	remedy = "or put its own in force for all: unecho settings apply --config FILE"
	if _, earlier := state.Replaced(bounds); earlier {
		remedy += " --back"
	}
	return remedy, nil
}

// inForce returns the settings of the newest snapshot or, without a snapshot, those with which the journal begins.
func (p *target) inForce(ctx context.Context) ([]byte, error) {
	if p.newest != nil {
		return p.newest.Settings(), nil
	}
	if err := p.journalWhole(ctx); err != nil || p.tail == nil || p.tail.start == p.tail.end {
		return nil, err
	}
	for at := p.tail.start; at < min(p.tail.end, p.tail.start+mostStrays); at++ {
		_, rec, err := p.journalRecord(ctx, at)
		if err != nil {
			return nil, err
		}
		switch rec := rec.(type) {
		case *index.Settings:
			return rec.Text, nil
		case *index.Checkpoint:
			return rec.Settings, nil
		case nil: // a stray, or deleted
		default:
			return nil, errNoSettings
		}
	}
	return nil, nil
}

var errNoSettings = errors.New("the journal does not begin with settings, and no snapshot of it tells them")

// mostStrays is how many records are passed over in search of the settings with which the journal begins, and of the
// last one that says when it was appended.
const mostStrays = 16

// journalRecord reads one record of the journal. It returns nil if the record is gone, or changes nothing.
func (p *target) journalRecord(ctx context.Context, offset int64) (*topic.Record, index.Record, error) {
	r, err := topic.ReadAt(ctx, p.in.Options, p.in.Journal.Topic, 0, offset)
	if errors.Is(err, topic.ErrNoRecord) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	rec, err := journal.Decode(r.Value)
	if errors.As(err, new(*journal.StrayError)) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read journal: offset %d: %w", offset, err)
	}
	return r, rec, nil
}
