package consumer

import (
	"bytes"
	"context"
	"fmt"

	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/index"
)

// A member that reads other topics than the others, or forwards to others, or forwards nothing, would take documents away from
// them. So the routing is declared in the journal (index.Routing), and holds twice: a member begins only where it is in force,
// and ends when it is not any more.

// agree makes sure that settings and routing in force are ours. Where there are none yet it declares ours, times is
// how often it did so: it is false then, for another member may have been faster. From when it is true the follower ends this process as soon as another routing is in
// force.
func (sh *shared) agree(ctx context.Context, times int) (agreed bool, err error) {
	var settings []byte
	sh.follower.look(func(r *index.Replica) {
		settings = bytes.Clone(r.Settings())
		if err = sh.sameSettings(settings); err == nil && r.Routes().Number > 0 {
			agreed, err = true, sh.misrouted(r)
			sh.follower.misrouted = sh.misrouted
		}
	})
	if agreed || err != nil {
		return agreed, err
	}
	var first index.Record = &index.Settings{Text: sh.settings, Wall: sh.header().Wall}
	if settings != nil {
		first = &index.Routing{Header: sh.header(), Routes: index.Routes{Number: 1, Text: sh.routing}}
	}
	if err := sh.beforeRepeat(ctx, times/2); err != nil {
		return false, err
	}
	_, err = sh.append(ctx, [][]byte{sh.frame(first)})
	return false, err
}

// misrouted refuses a routing in force that is not ours.
func (sh *shared) misrouted(r *index.Replica) error {
	if r.Routed() == sh.routed {
		return nil
	}
	what := fmt.Sprintf("the routing differs from that in force in journal %s:", sh.journalTopic)
	for _, line := range routing.Diff(sh.routing, r.Routes().Text) {
		what += "\n    " + line
	}
	return &StopError{
		What: what,
		Remedy: "use the routing of the other members (`unecho routing show`). To change it for all: `unecho routing apply --config FILE` " +
			"with this configuration, and start all members with it; what is remembered stays",
	}
}
