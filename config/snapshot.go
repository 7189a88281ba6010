package config

import (
	"slices"

	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/localdir"
	"github.com/unecho/unecho/index/snapshot/postgres"
)

// SnapshotParams say where snapshots are stored, by the settings of each kind of store, and how often they are taken.
type SnapshotParams struct {
	Store    string          `key:"store" doc:"where snapshots are kept"`
	Local    localdir.Params `key:""`
	Postgres postgres.Params `key:""`
	Taken    snapshot.Params `key:""`
}

// DefaultSnapshotParams returns the defaults. A directory or a database must still be set.
func DefaultSnapshotParams() SnapshotParams {
	return SnapshotParams{Store: stores()[0].name, Postgres: postgres.DefaultParams(), Taken: snapshot.DefaultParams()}
}

// store is a kind of store.
type store struct {
	name string // the word of snapshot.store
	of   func(SnapshotParams) snapshot.Opener
}

// stores returns all kinds of stores. A further one is a package of its own, its settings in SnapshotParams, and a line
// here.
func stores() []store {
	return []store{
		{"directory", func(p SnapshotParams) snapshot.Opener { return p.Local }},
		{"postgres", func(p SnapshotParams) snapshot.Opener { return p.Postgres }},
	}
}

// Choices implements setting.Chooser.
func (SnapshotParams) Choices(key string) (words []string) {
	if key == "store" {
		for _, s := range stores() {
			words = append(words, s.name)
		}
	}
	return words
}

// Opener returns the store that is chosen. It panics for settings with mistakes, which no store has.
func (p SnapshotParams) Opener() snapshot.Opener {
	for _, s := range stores() {
		if s.name == p.Store {
			return s.of(p)
		}
	}
	panic("config: nothing opens snapshot.store " + p.Store)
}

// Params returns how snapshots are taken into the store that is chosen.
func (p SnapshotParams) Params() snapshot.Params {
	taken := p.Taken
	taken.Shared = p.Opener().ForAll()
	return taken
}

// Validate returns every mistake.
func (p SnapshotParams) Validate() []setting.Mistake {
	mistakes := setting.Misspelt(p)
	if len(mistakes) == 0 {
		mistakes = p.Opener().Validate()
	}
	return append(mistakes, p.Taken.Validate()...)
}

// Idle returns the settings of the stores that are not chosen.
func (p SnapshotParams) Idle() (mistakes []setting.Mistake) {
	for _, s := range stores() {
		if s.name == p.Store {
			continue
		}
		usual := setting.Fields(s.of(DefaultSnapshotParams()))
		for i, f := range setting.Fields(s.of(p)) {
			if f.Text() != usual[i].Text() {
				mistakes = append(mistakes, setting.Wrong(f.Key, f.Text(), "decides nothing with store: "+p.Store,
					"leave it out, or write store: "+s.name))
			}
		}
	}
	return mistakes
}

// StoreOf returns the word of snapshot.store whose settings these keys are; "" if they are of none, or of several.
func StoreOf(keys []string) (chosen string) {
	for _, s := range stores() {
		for _, f := range setting.Fields(s.of(SnapshotParams{})) {
			if slices.Contains(keys, setting.Join("snapshot", f.Key)) {
				if chosen != "" && chosen != s.name {
					return ""
				}
				chosen = s.name
			}
		}
	}
	return chosen
}
