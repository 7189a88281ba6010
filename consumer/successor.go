package consumer

import (
	"context"
	"fmt"
	"slices"

	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/stop"
)

// retires is called when the group has retired, and this member has left it. If it is to follow the group that took over, it declares that
// in the journal and returns nil: the next life is that of a shadow. That is possible once the other group forwards,
// and so nothing is left to be completed.
func (r *reached) retires(ctx context.Context, retired *member.RetiredError, err error) error {
	d := &retired.Duty
	if r.setup.Params.Succeeds != d.Other {
		return err
	}
	ours := routing.Journal{Options: r.setup.Kafka, Topic: r.log.Topic, Group: r.setup.Params.Group}
	theirs := routing.Journal{Options: r.setup.Kafka, Topic: r.setup.Params.Followed(), Group: d.Other}
	is, err := theirs.Read(ctx)
	if err != nil {
		return fmt.Errorf("read the routing of group %s: %w", d.Other, err)
	}
	other, err := routing.DutyOf(is.Routes.Text)
	if err != nil {
		return err
	}
	here := routing.Incarnation(r.log.Topic, r.log.ID)
	if other.Kind != protocol.Forwards || other.Other != r.setup.Params.Group || other.Theirs != here {
		return &stop.Error{
			What: fmt.Sprintf("group %s is to take over from this one and has not done so yet, says its journal %s: there "+
				"is nothing to follow", d.Other, theirs.Topic),
			Remedy: fmt.Sprintf("finish that: unecho takeover, with the configuration of %s; or abandon it: unecho takeover "+
				"--abandon", d.Other),
		}
	}
	now, err := ours.Read(ctx)
	if err != nil {
		return fmt.Errorf("read the routing: %w", err)
	}
	was, err := routing.DutyOf(now.Routes.Text)
	if err != nil || was.Kind != protocol.Retired { // another member was faster
		return err
	}
	shadow := protocol.Duty{Kind: protocol.Shadows, Other: d.Other, Ours: here}
	if _, err := ours.Apply(ctx, r.setup.Journal, now, routing.WithDuty(now.Routes.Text, &shadow)); err != nil {
		return fmt.Errorf("follow group %s: %w", d.Other, err)
	}
	r.setup.Logger.Info().Str("group", d.Other).Msg("this group follows the one that took over from it")
	return nil
}

// warnOfSources tells a shadow that reads other topics than the group that it follows: it could never take over.
func (r *reached) warnOfSources(ctx context.Context, replica *member.Follower) {
	d, err := dutyOf(replica)
	if err != nil || d.Kind != protocol.Shadows || d.Other != r.setup.Params.Succeeds {
		return
	}
	theirs := routing.Journal{Options: r.setup.Kafka, Topic: r.setup.Params.Followed(), Group: d.Other}
	is, err := theirs.Read(ctx)
	if err != nil { // others tell of that
		return
	}
	other, ours := routing.Sources(is.Routes.Text), routing.Sources(r.agreed.Routing)
	if routing.Pattern(is.Routes.Text) != "" || len(other) > 0 && !slices.Equal(ours, other) {
		r.setup.Logger.Warn().Str("group", d.Other).Strs("theirs", other).Strs("ours", ours).
			Str("remedy", "let both name the same topics in source.topics, and have no source.pattern").
			Msg("the followed group reads other topics: this group cannot take over from it")
	}
}
