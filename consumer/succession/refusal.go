package succession

import (
	"fmt"
	"strings"
	"time"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/stop"
)

// refusal says why a handover cannot go on, and what a person can do.
func (r *run) refusal() error {
	older, newer, other := r.Old.Group, r.New.Group, r.Refusal.Other
	switch r.Refusal.Why {
	case protocol.NoOldJournal:
		return &stop.Error{
			What:   fmt.Sprintf("group %s has no journal %s, or declared nothing in it: there is nothing to take over", older, r.OldGroup.Journal),
			Remedy: "name the group that is at work in succeeds",
		}
	case protocol.NoNewJournal:
		return &stop.Error{
			What:   fmt.Sprintf("group %s has no journal %s yet, or declared nothing in it", newer, r.NewGroup.Journal),
			Remedy: "start a member of it with succeeds: " + older + ", and let it fill its window",
		}
	case protocol.NewForwards:
		return &stop.Error{
			What:   fmt.Sprintf("group %s forwards already, and did not take over from group %s", newer, older),
			Remedy: "a successor has succeeds from its first start on: give it a group that was never used",
		}
	case protocol.NewFollows:
		return &stop.Error{What: fmt.Sprintf("group %s is to take over from group %s, not from %s", newer, other, older), Remedy: "name that group in succeeds"}
	case protocol.NewRetired:
		return &stop.Error{
			What:   fmt.Sprintf("group %s has retired itself, in favour of group %s", newer, other),
			Remedy: "delete topic " + r.NewGroup.Journal + ", start it with succeeds: " + other + ", let it fill its window, and take over then",
		}
	case protocol.OldFollows:
		return &stop.Error{
			What:   fmt.Sprintf("group %s forwards nothing itself: it is to take over from group %s", older, other),
			Remedy: "take over from the group that forwards",
		}
	case protocol.OldSucceeded:
		return &stop.Error{
			What: fmt.Sprintf("group %s has retired in favour of group %s (%s), which was first", older, other, r.Old.Duty.OtherJournal),
			Remedy: "nothing of this takeover counts: take over from that group. If it never came to forward, abandon its takeover with " +
				"`unecho takeover --abandon` and its configuration",
		}
	case protocol.WasVoided:
		return &stop.Error{
			What:   fmt.Sprintf("this takeover from group %s was abandoned", older),
			Remedy: "finish that with `unecho takeover --abandon`; then it can be begun again",
		}
	case protocol.OffsetsGone:
		return r.offsetsGone()
	case protocol.NewBeyond:
		return r.newBeyond()
	case protocol.TakenOver:
		return &stop.Error{
			What:   fmt.Sprintf("group %s has taken over from group %s: there is nothing to abandon", newer, older),
			Remedy: fmt.Sprintf("to go back, delete topic %s, start %s with succeeds: %s, and run unecho takeover with its configuration", r.OldGroup.Journal, older, newer),
		}
	case protocol.NothingToVoid:
		return &stop.Error{What: fmt.Sprintf("group %s has not retired in favour of group %s: there is nothing to abandon", older, newer), Remedy: "see `unecho takeover --plan`"}
	}
	return fmt.Errorf("this is a bug of unecho: refusal %d", r.Refusal.Why)
}

// ReadyFor is for how long it counts that a member of the new group has noted that the window is filled. Members note it
// anew while they run.
const ReadyFor = 5 * time.Minute

// unfilled refuses a handover that would begin with a long pause, or that nobody would go on with.
func (r *run) unfilled() error {
	what := fmt.Sprintf("group %s has not filled its window yet with what group %s has found unique", r.New.Group, r.Old.Group)
	if at := r.New.Duty.Ready; at > 0 {
		what = fmt.Sprintf("group %s had its window filled last at %s, and no member of it has said so since", r.New.Group,
			time.UnixMilli(at).UTC().Format("2006-01-02 15:04:05 MST"))
	}
	return &stop.Error{What: what, Remedy: "start a member of it, and wait until it is ready: its log says how far it is"}
}

func (r *run) offsetsGone() error {
	at := listStandpoints(r.Refusal.Places, func(p *protocol.Standpoint) int64 { return p.Old })
	return &stop.Error{
		What: fmt.Sprintf("offsets that group %s had committed are gone: %s", r.Old.Group, at),
		Remedy: "start a member of the group: it goes on from its journal. If it has retired, set them to where it had come " +
			"(kafka-consumer-groups.sh --reset-offsets): its journal says where (succession.seen), its outputs what came then",
	}
}

func (r *run) newBeyond() error {
	older, newer := r.Old.Group, r.New.Group
	at := listStandpoints(r.Refusal.Places, func(p *protocol.Standpoint) int64 { return p.New })
	return &stop.Error{
		What: fmt.Sprintf("group %s has an offset beyond what group %s has committed: %s", newer, older, at),
		Remedy: fmt.Sprintf("an offset was set by hand: wait until group %s is there, or stop all members of %s and set its "+
			"offsets back", older, newer),
	}
}

func listStandpoints(of []protocol.Standpoint, offset func(*protocol.Standpoint) int64) string {
	var all []string
	for i := range of {
		all = append(all, fmt.Sprintf("%s/%d at %d", of[i].Topic, of[i].Source.Partition, offset(&of[i])))
	}
	return strings.Join(all, ", ")
}

func (r *run) dry() error {
	return &stop.Error{
		What:   fmt.Sprintf("group %s is a dry run: nothing would be forwarded after a takeover", r.NewGroup.Name),
		Remedy: "put its configuration in force with `unecho routing apply`, start its members without --dry-run, and take over then",
	}
}

func (r *run) otherSources() error {
	reads := func(text []byte) string {
		if patterns := routing.Patterns(text); len(patterns) > 0 {
			return fmt.Sprintf("%q and sources.pattern %s", routing.Sources(text), strings.Join(patterns, ", "))
		}
		return fmt.Sprintf("%q", routing.Sources(text))
	}
	return &stop.Error{
		What: fmt.Sprintf("the groups read other topics: %s reads %s, %s reads %s", r.OldGroup.Name, reads(r.older.Routes.Text),
			r.NewGroup.Name, reads(r.newer.Routes.Text)),
		Remedy: "let both have the same sources.topics and sources.pattern (unecho routing apply changes those of a group), and take over then",
	}
}

func (r *run) otherJournal(named string) error {
	return &stop.Error{
		What:   fmt.Sprintf("group %s retired in favour of %s with journal %s, and this configuration names %s", r.OldGroup.Name, r.NewGroup.Name, named, r.NewGroup.Journal),
		Remedy: "abandon it with the configuration of that deployment",
	}
}

func (*run) backfills(g Group, err error) error {
	if err != nil {
		return err
	}
	return &stop.Error{What: fmt.Sprintf("journal %s is that of a backfill", g.Journal), Remedy: "only live groups take over from each other"}
}
