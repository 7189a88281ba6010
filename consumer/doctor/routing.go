package doctor

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/unecho/unecho/consumer/routing"
)

// routing compares the routing in force in the journal with the configuration.
func (p *target) routing(ctx context.Context) ([]Finding, error) {
	if p.topic[p.in.Journal.Topic] != there {
		return nil, nil // reported with the topics
	}
	j := routing.Journal{Options: p.in.Options, Topic: p.in.Journal.Topic, Group: p.in.Params.Group}
	now, err := j.Read(ctx)
	if err != nil {
		return nil, err
	}
	out := p.in.Sink
	out.DryRun = routing.Dry(now.Routes.Text) // a flag of who runs members
	ours := routing.Text(p.in.Sources, out)
	switch {
	case now.Routes.Number == 0:
		return []Finding{fine("none is in force yet: the first member declares its own")}, nil
	case bytes.Equal(ours, routing.Plain(now.Routes.Text)):
		return []Finding{fine(fmt.Sprintf("that in force in the journal, number %d, is that of this configuration",
			now.Routes.Number))}, nil
	}
	return []Finding{problem(
		fmt.Sprintf("it differs from that in force in journal %s: %s", p.in.Journal.Topic,
			strings.Join(routing.Diff(ours, now.Routes.Text), "; ")),
		"a member with this configuration does not start",
		"use the routing of the other members; to change it for all: unecho routing apply --config FILE")}, nil
}
