package snapshot

import (
	"time"

	"github.com/unecho/unecho/index/setting"
)

// Params say how often snapshots are taken, and how many are kept. None of them decides a verdict.
type Params struct {
	Every time.Duration `key:"every" doc:"how often a snapshot is taken" example:"60s"`
	Keep  int           `key:"keep" doc:"how many snapshots are kept; the journal is trimmed below the second newest"`
	// Shared says that all members of the group see the store (see Opener). The journal may only be trimmed if they do.
	Shared bool `key:"-"`
}

// DefaultParams returns the defaults.
func DefaultParams() Params { return Params{Every: time.Minute, Keep: 3} }

// Validate returns every mistake.
func (p Params) Validate() []setting.Mistake {
	var mistakes []setting.Mistake
	if p.Every < time.Second {
		mistakes = append(mistakes, setting.Wrong("every", p.Every, "is too often",
			"write a duration of at least 1s, such as 60s"))
	}
	if p.Keep < 2 || p.Keep > 1000 {
		mistakes = append(mistakes, setting.Wrong("keep", p.Keep, "is out of bounds",
			"write 2 to 1000: one to restore, and one to fall back on"))
	}
	return mistakes
}
