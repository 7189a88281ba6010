package consumer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/session"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
)

// heritagePause is how long a shadow waits before it goes on with a priming that a lost broker has ended.
const heritagePause = 5 * time.Second

// inherit primes a shadow with what the group that it follows has found unique, if source.prime_from says so (design
// 4, rules 16 and 17). It is done once: a group that was primed before, with whatever, is left alone. Several members
// at once do no harm. What cannot be primed is told, and stops nothing: the window fills by what comes.
func (p *process) inherit(ctx context.Context, replica *member.Follower) {
	if p.setup.Source.PrimeFrom != session.PrimeFromUnique || !shadows(replica) {
		return
	}
	err := retry.While(ctx, heritagePause, func() error { return p.inheritOnce(ctx, replica) },
		func(err error, _ time.Duration) bool {
			var final *stop.Error
			return !errors.As(err, &final) && broker.MayPass(err)
		})
	if err != nil && ctx.Err() == nil {
		p.setup.Logger.Error().Err(err).Str("group", p.setup.Params.Succeeds).
			Msg("the window is not primed with what the followed group found unique: unecho backfill --prime does that, too")
	}
}

// shadows says whether the routing in force makes the group a shadow.
func shadows(replica *member.Follower) (is bool) {
	replica.Look(func(r *index.Replica) {
		d, err := routing.DutyOf(r.Routes().Text)
		is = err == nil && d.Kind == protocol.Shadows
	})
	return is
}

func (p *process) inheritOnce(ctx context.Context, replica *member.Follower) error {
	topics, err := p.unique(ctx)
	if err != nil {
		return err
	}
	asked := backfill.Asked{Topics: topics}
	if now := primingOf(replica); now.Of != nil && (now.Finished || len(asked.Other(now.Of)) > 0) {
		return nil
	}
	p.setup.Logger.Info().Strs("topics", topics).Msg("the window is primed with what the followed group found unique")
	life := &primerLife{
		Primer:  &Primer{Service: p.Service, asked: asked, said: func(what string) { p.setup.Logger.Info().Msg(what) }},
		cluster: p.cluster, log: p.log, topics: topics, replica: replica,
	}
	if err := life.work(ctx); err != nil {
		return err
	}
	now := primingOf(replica)
	p.setup.Logger.Info().Uint64("primed", now.Kept).Uint64("duplicate", now.Duplicate).
		Uint64("passed_over", now.PassedOver()).Uint64("rejected", now.Rejected).Msg("the window is primed")
	return nil
}

// unique lists the topics to which the followed group sends what it finds unique.
func (p *process) unique(ctx context.Context) (topics []string, err error) {
	params := &p.setup.Params
	theirs := routing.Journal{Options: p.setup.Kafka, Topic: params.Followed(), Group: params.Succeeds}
	is, err := theirs.Read(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the routing of group %s: %w", params.Succeeds, err)
	}
	for _, source := range routing.Sources(is.Routes.Text) {
		if unique, _, _, written := routing.Outputs(is.Routes.Text, source); written && !slices.Contains(topics, unique) {
			topics = append(topics, unique)
		}
	}
	if len(topics) == 0 {
		return nil, &stop.Error{
			What:   fmt.Sprintf("group %s writes no document anywhere (sink.dry_run)", params.Succeeds),
			Remedy: "set source.prime_from: timestamp",
		}
	}
	return topics, nil
}
