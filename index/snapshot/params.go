package snapshot

import (
	"time"

	"github.com/unecho/unecho/index/setting"
)

// Kept is how many snapshots are kept. The journal is trimmed below the second newest, so that one may be found damaged.
const Kept = 3

// Use says who uses a store.
type Use string

// Uses of a store.
const (
	ByMember Use = "member" // each member has its own: nobody trims the journal
	ByAll    Use = "all"    // all members see the same one
	ByOne    Use = "only"   // there is one member, and it stays alone
)

// Trims says whether the journal may be trimmed: whoever starts finds the snapshots.
func (u Use) Trims() bool { return u != ByMember }

// Params say how often snapshots are taken. They decide no verdict.
type Params struct {
	Every time.Duration `key:"every" doc:"time between snapshots" example:"60s" advanced:"true"`
	For   Use           `key:"-"` // who uses the store (see Opener)
}

// DefaultParams returns the defaults.
func DefaultParams() Params { return Params{Every: time.Minute, For: ByMember} }

// Validate returns every mistake.
func (p Params) Validate() []setting.Mistake {
	if p.Every >= time.Second {
		return nil
	}
	return []setting.Mistake{setting.Wrong("every", p.Every, "is too often", "write a duration of at least 1s, such as 60s")}
}
