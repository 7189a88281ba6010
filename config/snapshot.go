package config

import (
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/localdir"
	"github.com/unecho/unecho/index/snapshot/postgres"
	"github.com/unecho/unecho/index/snapshot/s3"
)

// SnapshotParams say where snapshots are stored, by the section of one kind of store, and how often they are taken.
type SnapshotParams struct {
	Directory localdir.Params `key:"directory" doc:"A directory, of this machine or of a network file system with locks."`
	Postgres  postgres.Params `key:"postgres" doc:"A database for all members. Set either this, a bucket, or a directory."`
	S3        s3.Params       `key:"s3" doc:"A bucket of S3, or of a store that speaks like it, for all members."`
	Taken     snapshot.Params `key:""`
}

// DefaultSnapshotParams returns the defaults. A directory, a database or a bucket must still be set.
func DefaultSnapshotParams() SnapshotParams {
	return SnapshotParams{
		Directory: localdir.DefaultParams(), Postgres: postgres.DefaultParams(), S3: s3.DefaultParams(), Taken: snapshot.DefaultParams(),
	}
}

// store is a kind of store with its settings.
type store struct {
	section string
	place   string // the setting that says where it is, and by that chooses it
	chosen  bool
	snapshot.Opener
}

// stores returns all kinds of stores. A further one is a package of its own, its section in SnapshotParams, and a line
// here.
func (p SnapshotParams) stores() []store {
	return []store{
		{"directory", "directory.path", p.Directory.Path != "", p.Directory},
		{"postgres", "postgres.url", p.Postgres.URL != "", p.Postgres},
		{"s3", "s3.bucket", p.S3.Bucket != "", p.S3},
	}
}

// storePlaces returns the settings that choose a store, by saying where it is.
func storePlaces() (keys []string) {
	for _, s := range (SnapshotParams{}).stores() {
		keys = append(keys, setting.Join("snapshots", s.place))
	}
	return keys
}

func (p SnapshotParams) chosen() (chosen []store) {
	for _, s := range p.stores() {
		if s.chosen {
			chosen = append(chosen, s)
		}
	}
	return chosen
}

// Opener returns the store that is chosen. It panics for settings with mistakes, which choose none.
func (p SnapshotParams) Opener() snapshot.Opener { return p.chosen()[0].Opener }

// Params returns how snapshots are taken into the store that is chosen.
func (p SnapshotParams) Params() snapshot.Params {
	taken := p.Taken
	taken.For = p.Opener().UsedBy()
	return taken
}

// Validate returns every mistake.
func (p SnapshotParams) Validate() []setting.Mistake {
	mistakes := p.Taken.Validate()
	switch chosen := p.chosen(); len(chosen) {
	case 0:
		return append(mistakes, setting.Wrong("directory.path", "", "is missing",
			"write the path of a directory that outlives the process, or choose PostgreSQL by snapshots.postgres.url, or a bucket by "+
				"snapshots.s3.bucket"))
	case 1:
		return append(mistakes, setting.Under(chosen[0].section, chosen[0].Validate())...)
	default:
		return append(mistakes, setting.Wrong(chosen[1].place, "", "is given beside snapshots."+chosen[0].place+", and there is one store",
			"remove one of the two"))
	}
}

// oneStore takes back the choice of a store where a higher layer has chosen another: who names a directory by a flag need
// not change a file that names a database.
func (l *loader) oneStore() {
	layer := FromDefault
	for _, key := range storePlaces() {
		if f, known := l.leaves[key]; known && f.Text() != "" {
			layer = max(layer, l.origins[key].Layer)
		}
	}
	for _, key := range storePlaces() {
		if f, known := l.leaves[key]; known && l.origins[key].Layer < layer {
			f.Set("")
			delete(l.origins, key)
		}
	}
}

// Idle returns the settings of the stores that are not chosen, where one is.
func (p SnapshotParams) Idle() (mistakes []setting.Mistake) {
	chosen := p.chosen()
	if len(chosen) != 1 {
		return nil
	}
	usual := DefaultSnapshotParams().stores()
	for n, s := range p.stores() {
		if s.chosen {
			continue
		}
		defaults := setting.Fields(usual[n].Opener)
		for i, f := range setting.Fields(s.Opener) {
			if f.Text() != defaults[i].Text() {
				mistakes = append(mistakes, setting.Wrong(setting.Join(s.section, f.Key), f.Text(),
					"has no effect with snapshots."+chosen[0].place, "leave it out"))
			}
		}
	}
	return mistakes
}
