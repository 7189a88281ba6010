package groups

import (
	"context"
	"fmt"
	"strings"

	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/index"
)

// Routing is what a group reads and where it forwards.
func Routing(g *Group) Part { return routes{g} }

type routes struct{ *Group }

func (routes) words() words { return words{"routing", "number", "is", "differs", "that"} }

func (r routes) shown() (number uint32, name string, text []byte) {
	now := r.now.Routes
	return now.Number, fmt.Sprintf("routing %d", now.Number), now.Text
}

func (r routes) own() []byte { return routing.Text(r.config.Sources, r.config.Sink) }

func (r routes) difference() difference {
	return difference{Bounds: routing.Diff(r.own(), r.now.Routes.Text)}
}

// allows refuses a configuration whose members could not be in the group.
func (r routes) allows(bool) error {
	if own := r.config.Settings(); !index.Same(own, r.now.Settings) {
		return fmt.Errorf("the settings differ from those that journal %s was begun with, which no routing changes:\n    %s\n  use the settings of the members",
			r.journal.Topic, strings.Join(index.Diff(own, r.now.Settings), "\n    "))
	}
	return nil
}

func (r routes) put(ctx context.Context) (now routing.State, told string, err error) {
	now, err = r.journal.Change(ctx, r.config.Journal, r.now, r.own())
	return now, "routing %d: members with another one end now; start them with this configuration", err
}
