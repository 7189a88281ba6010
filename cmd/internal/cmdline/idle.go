package cmdline

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/config"
)

// Asked is a command line whose flags are asked whether they decide something.
type Asked struct {
	*cobra.Command
	Paths  []string // files and directories that it names
	Config config.Config
}

// Has says whether one of these flags was given.
func (g *Asked) Has(flags ...string) bool {
	for _, name := range flags {
		if flag := g.Flag(name); flag != nil && flag.Changed {
			return true
		}
	}
	return false
}

// Value returns the value of a flag; empty if the verb has none of that name.
func (g *Asked) Value(name string) string {
	if flag := g.Flag(name); flag != nil {
		return flag.Value.String()
	}
	return ""
}

// Rule says when flags decide something.
type Rule struct {
	Flags string              // their names, with blanks between them
	When  func(g *Asked) bool // nil: always
	Why   string              // they do not, behind the name of the flag, and what to do
}

// RefuseIdle refuses the first flag that was given and decides nothing. A flag may have several rules.
func RefuseIdle(g *Asked, rules []Rule) error {
	for _, r := range rules {
		for name := range strings.FieldsSeq(r.Flags) {
			if r.When != nil && g.Has(name) && !r.When(g) {
				return exit.Usage(fmt.Errorf("--%s %s", name, r.Why))
			}
		}
	}
	return nil
}
