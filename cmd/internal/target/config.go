package target

import (
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/document"
)

// Group is the consumer group where nothing else is configured.
const Group = "unecho"

// AnySource is the source where nothing else is configured.
func AnySource() []document.Source {
	s := document.DefaultSource()
	s.Topics = []string{"documents"}
	return []document.Source{s}
}

// Layers are what a verb adds to the configuration.
type Layers struct {
	Base  func(*config.Config) // changes the defaults; may be nil
	Under []string             // settings that outrank file and environment only, in the form of --set
	Over  []string             // settings that outrank everything
}

// Config returns the configuration.
func Config(cmd *cobra.Command, l Layers) (config.Config, error) {
	base := config.Default()
	if l.Base != nil {
		l.Base(&base)
	}
	loaded, err := config.ResolveFrom(base, cmdline.ConfigFile(cmd), os.Environ(),
		slices.Concat(l.Under, cmdline.Texts(cmd, "set"), cmdline.Given(cmd), cmdline.LogSets(cmd), l.Over))
	return loaded.Config, err
}
