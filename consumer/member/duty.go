package member

import (
	"fmt"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
)

// Succeeded is the error that ends a member whose group has retired. Topic is its journal.
func Succeeded(topic string, d *protocol.Duty) *stop.Error {
	return &stop.Error{
		What: fmt.Sprintf("group %s takes over from this one, says journal %s", d.Other, topic),
		Remedy: fmt.Sprintf("let this deployment end. To abandon the takeover before it is complete: `unecho takeover "+
			"--abandon`, with the configuration of %s. To go back afterwards: delete topic %s, start this "+
			"deployment with succeeds: %s, and take over again", d.Other, topic, d.Other),
	}
}

// onDuty refuses what the routing in force has the group do, if that is nothing.
func (*Agreed) onDuty(log *journal.Log, text []byte) error {
	d, err := routing.DutyOf(text)
	switch {
	case err != nil:
		return &stop.Error{
			What: fmt.Sprintf("the routing in journal %s cannot be read", log.Topic), Err: err,
			Remedy: "start the version that the other members run",
		}
	case d.Kind == protocol.Retired:
		return Succeeded(log.Topic, &d)
	case d.OwnJournal != "" && d.OwnJournal != routing.Incarnation(log.Topic, log.ID):
		return &stop.Error{
			What: fmt.Sprintf("the routing in journal %s was meant for another journal (%s): the topic was deleted and "+
				"created again, or copied", log.Topic, d.OwnJournal),
			Remedy: "begin a new deployment, with a group that was never used",
		}
	}
	return nil
}

// declares is the text of the first routing: a group that is to take over from another one begins by filling its
// window, and so does one that a person fills.
func (a *Agreed) declares(log *journal.Log) []byte {
	if a.Succeeds == "" && !a.Fills {
		return a.Routing
	}
	return routing.WithDuty(a.Routing, &protocol.Duty{
		Kind: protocol.Fills, Other: a.Succeeds,
		OwnJournal: routing.Incarnation(log.Topic, log.ID),
	})
}

// Duty returns the number of the routing in force, and what it has the group do. The error ends the process if that
// routing is not its own.
func (f *Follower) Duty() (routed uint64, d protocol.Duty, err error) {
	f.Look(func(r *index.Replica) {
		routed = r.Routed()
		if err = f.Agreed.SameRouting(f.Log, r); err == nil {
			d, err = routing.DutyOf(r.Routes().Text)
		}
	})
	return routed, d, err
}
