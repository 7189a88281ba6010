package consumer

import (
	"context"
	"fmt"

	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/stop"
)

// retires leaves the group, which has retired. If this member is to follow the group that took over, it declares that
// in the journal and returns nil: the next life is that of a shadow. That is possible once the other group forwards,
// and so nothing is left to be completed.
func (p *process) retires(ctx context.Context, retired *member.RetiredError, err error) error {
	p.cluster.Leave(context.WithoutCancel(ctx), p.slots...)
	d := &retired.Duty
	if p.setup.Params.Succeeds != d.Other {
		return err
	}
	ours := routing.Journal{Options: p.setup.Kafka, Topic: p.log.Topic, Group: p.setup.Params.Group}
	theirs := routing.Journal{Options: p.setup.Kafka, Topic: p.setup.Params.Followed(), Group: d.Other}
	is, err := theirs.Read(ctx)
	if err != nil {
		return fmt.Errorf("read the routing of group %s: %w", d.Other, err)
	}
	other, err := routing.DutyOf(is.Routes.Text)
	if err != nil {
		return err
	}
	here := routing.Incarnation(p.log.Topic, p.log.ID)
	if other.Kind != protocol.Forwards || other.Other != p.setup.Params.Group || other.Theirs != here {
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
	if _, err := ours.Apply(ctx, p.setup.Journal, now, routing.WithDuty(now.Routes.Text, &shadow)); err != nil {
		return fmt.Errorf("follow group %s: %w", d.Other, err)
	}
	p.setup.Logger.Info().Str("group", d.Other).Msg("this group follows the one that took over from it")
	return nil
}
