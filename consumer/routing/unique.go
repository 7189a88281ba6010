package routing

import (
	"context"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/protocol"
)

// Unique returns the topics to which a routing sends unique documents, sorted. The group's journal is no source of it.
func Unique(ctx context.Context, admin *kadm.Client, text []byte, journal string) (names []string, err error) {
	choice, err := Chosen(text, journal)
	if err != nil {
		return nil, err
	}
	sources, err := choice.Find(ctx, admin)
	if err != nil {
		return nil, err
	}
	for _, source := range sources {
		if unique, _, _, written := Outputs(text, source); written {
			names = append(names, unique)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// Change puts the routing of a configuration in force in place of that in from, as Apply does. The group's duty stays. It
// names the topics that get no unique documents any more, because a successor remembers what is there.
func (j *Journal) Change(ctx context.Context, p journal.Params, from State, to []byte) (State, error) {
	duty, err := DutyOf(from.Routes.Text)
	if err != nil {
		return State{}, err
	}
	client, err := broker.Open(ctx, j.Options...)
	if err != nil {
		return State{}, err
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	before, err := Unique(ctx, admin, from.Routes.Text, j.Topic)
	if err != nil {
		return State{}, err
	}
	now, err := Unique(ctx, admin, to, j.Topic)
	if err != nil {
		return State{}, err
	}
	duty.Dropped = dropped(&duty, before, now)
	return j.Apply(ctx, p, from, WithDuty(to, &duty))
}

// dropped returns the topics that get no unique documents any more, with those of a duty. A group that fills its window
// has written none yet: what stands in its topics is from somebody else.
func dropped(d *protocol.Duty, before, now []string) (names []string) {
	names = slices.Clone(d.Dropped)
	if d.Kind != protocol.Fills {
		names = append(names, before...)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return slices.Contains(now, name) })
}
