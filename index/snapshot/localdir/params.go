package localdir

import (
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/snapshot"
)

// Params are the settings of a store in a directory, and open it.
type Params struct {
	Directory string `key:"directory" doc:"the directory for snapshots, with store: directory" example:"/var/lib/unecho/snapshots" called:"dir"`
	Shared    bool   `key:"shared" doc:"with store: directory: all members see this same directory; without it the journal is never trimmed"`
}

var _ snapshot.Opener = Params{}

// Validate implements snapshot.Opener.
func (p Params) Validate() []setting.Mistake {
	if p.Directory != "" {
		return nil
	}
	return []setting.Mistake{{
		Key: "directory", Problem: "is missing",
		Remedy: "write the path of a directory that outlives the process, or set store to another kind",
	}}
}

// ForAll implements snapshot.Opener. A directory cannot know who else mounts it.
func (p Params) ForAll() bool { return p.Shared }
