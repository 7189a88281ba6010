package localdir

import (
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/snapshot"
)

// Params are the settings of a store in a directory, and open it.
type Params struct {
	Path string       `key:"path" doc:"the directory for snapshots; it must outlive the process" example:"/var/lib/unecho/snapshots" called:"dir"`
	For  snapshot.Use `key:"for" doc:"who uses the directory. member: each member has its own, and the journal is never trimmed. all: all members share this one. only: this is the only member, and no second one starts" enum:"member|all|only"`
}

var _ snapshot.Opener = Params{}

// DefaultParams returns the defaults. The directory must still be set.
func DefaultParams() Params { return Params{For: snapshot.ByMember} }

// Validate implements snapshot.Opener.
func (p Params) Validate() []setting.Mistake { return setting.Misspelt(p) }

// UsedBy implements snapshot.Opener. A directory cannot know who else mounts it.
func (p Params) UsedBy() snapshot.Use { return p.For }
