package member

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
)

// Agreed has what all members of a group must have in common, and the hashes by which they compare it.
//
// A member that reads other topics than the others, or forwards to others, or forwards nothing, would take documents
// away from them. So the routing is declared in the journal (index.Routing). A member begins only if its routing is
// in force, and ends when it is not any more.
type Agreed struct {
	Index       index.Params
	Settings    []byte // canonical text of all that decides verdicts
	Fingerprint uint64 // of the settings
	Routing     []byte // canonical text, without a duty
	Routed      uint64 // hash of the routing
	Succeeds    string // the group that this one is to take over from, which its window is filled from first
	Fills       bool   // a person fills the window first; without both the group forwards from the beginning
}

// NewAgreed hashes settings and routing.
func NewAgreed(p index.Params, settings, routing []byte) *Agreed {
	return &Agreed{
		Index: p, Settings: settings, Fingerprint: index.Fingerprint(settings), Routing: routing,
		Routed: index.Hash(routing),
	}
}

func (a *Agreed) same(inForce []byte) bool { return inForce == nil || index.Same(inForce, a.Settings) }

// sameSettings refuses settings in force that differ from ours, and prints the difference.
func sameSettings(ctx context.Context, s *Setup, inForce []byte) error {
	if s.Agreed.same(inForce) {
		return nil
	}
	topic := s.Log.Topic
	what := fmt.Sprintf("the settings differ from those that journal %s was begun with:", topic)
	for _, line := range index.Diff(s.Agreed.Settings, inForce) {
		what += "\n    " + line
	}
	return &stop.Error{
		What: what,
		Remedy: cmp.Or(journal.BeginAnew(ctx, kadm.NewClient(s.Log.Client()), s.Group, topic),
			"use the same settings as the other members; to change them, start a second deployment with a group of its own and "+
				"succeeds, and have it take over (unecho takeover); where all that is remembered may be lost, stop all "+
				"members, delete topic "+topic+", and start: "+journal.NextGap),
	}
}

// SameRouting refuses a routing in force that is not ours, and one by which the group has retired. The rest of its
// duty is no matter of configurations. A session works by what is in force.
func (a *Agreed) SameRouting(log *journal.Log, r *index.Replica) error {
	if r.Routed() == a.Routed {
		return nil
	}
	if bytes.Equal(routing.Plain(r.Routes().Text), a.Routing) {
		return a.onDuty(log, r.Routes().Text)
	}
	what := fmt.Sprintf("the routing differs from that in force in journal %s:", log.Topic)
	for _, line := range routing.Diff(a.Routing, r.Routes().Text) {
		what += "\n    " + line
	}
	return &stop.Error{
		What: what,
		Remedy: "use the routing of the other members (`unecho routing show`). To change it for all: `unecho routing apply " +
			"--config FILE` " +
			"with this configuration, and start all members with it; what is remembered stays",
	}
}

// agree makes sure that settings and routing in force are ours. If there are none yet it declares ours and returns
// false, for another member may have been faster. Times is how often it did so. Once it has returned true, the
// follower ends this process as soon as another routing is in force.
func (f *Follower) agree(ctx context.Context, times int) (agreed bool, err error) {
	var settings []byte
	f.Look(func(r *index.Replica) {
		settings = bytes.Clone(r.Settings())
		if f.Agreed.same(settings) && r.Routes().Number > 0 {
			agreed, err = true, f.Agreed.SameRouting(f.Log, r)
			f.routed = true
		}
	})
	if !agreed {
		err = sameSettings(ctx, f.Setup, settings)
	}
	if agreed || err != nil {
		return agreed, err
	}
	h := f.Log.Header()
	var first index.Record = &index.Settings{Text: f.Agreed.Settings, Wall: h.Wall}
	if settings != nil {
		first = &index.Routing{Header: h, Routes: index.Routes{Number: 1, Text: f.Agreed.declares(f.Log)}}
	}
	if err := f.Log.BeforeRepeat(ctx, times/2); err != nil {
		return false, err
	}
	_, err = f.Log.Put(ctx, journal.Append(nil, first))
	return false, err
}
