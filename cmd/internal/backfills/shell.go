package backfills

import (
	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/target"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
)

// shell is the program around a verb that works on ranges or files.
type shell struct {
	cmd       *cobra.Command
	version   string
	anyTopics bool // the configuration need not name any
}

// read reads the configuration, with settings that outrank everything in it.
func (s *shell) read(sets []string) (config.Config, error) {
	l := target.Layers{Under: []string{"http.listen="}, Over: sets}
	l.Base = func(c *config.Config) {
		if c.AnyTopics = s.anyTopics; terminal.Is(s.cmd.ErrOrStderr()) { // the progress is what a person looks at
			c.Log.Level = "warn"
		}
	}
	return target.Resolve(s.cmd, l)
}
