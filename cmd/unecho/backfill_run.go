package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/cmd/internal/backfills"
	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/memory"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
)

// run works until the range is judged, and then on as a live group if that is asked for. It begins again if another
// process has fixed the range at the same moment, because that one counts.
func (v *backfillVerb) run(ctx context.Context) error {
	for {
		state, err := v.job.Look(ctx)
		if err != nil {
			return err
		}
		if v.isLive(&state) {
			v.say("the range is judged: the group goes on live")
			return v.live(ctx)
		}
		plan, err := v.job.Agree(&state, v.asked())
		if err != nil {
			return err
		}
		if plan != nil {
			v.adopt(&state)
		} else if plan, err = v.begin(ctx); err != nil {
			return err
		}
		before := protocol.Progress{Total: plan.Documents()}
		if state.Plan != nil {
			before = state.Progress()
		}
		if v.nothingLeft(plan, before) {
			before.Finished = true
			return v.tell(plan, before, before, 0)
		}
		again, err := v.work(ctx, plan, before)
		if err != nil || !again {
			return err
		}
	}
}

// nothingLeft says whether no service needs to run: the range is judged, or was empty from the beginning.
func (v *backfillVerb) nothingLeft(plan *protocol.Plan, s protocol.Progress) bool {
	return v.flags.into == "" && (s.Finished || plan.Documents() == 0)
}

// begin loads the files, if the documents are those of files, and fixes the range.
func (v *backfillVerb) begin(ctx context.Context) (*protocol.Plan, error) {
	if len(v.flags.files) > 0 {
		if err := v.load(ctx); err != nil {
			return nil, err
		}
	}
	return v.fix(ctx)
}

// fix turns what is asked for into a plan.
func (v *backfillVerb) fix(ctx context.Context) (*protocol.Plan, error) {
	return backfill.Fix(ctx, v.job.Kafka, backfill.Request{
		Topics: v.config.Source.Topics, From: v.flags.from, To: v.flags.to, Order: v.flags.order, Gapless: v.flags.into != "",
	}, time.Now())
}

// work runs the service on a plan, and tells how that ended. again says that another plan was in force.
func (v *backfillVerb) work(ctx context.Context, plan *protocol.Plan, before protocol.Progress) (again bool, err error) {
	began := time.Now()
	worked := v.serve(ctx, plan)
	took := time.Since(began)
	after := context.WithoutCancel(ctx)
	state, err := v.job.Look(after)
	if err != nil {
		return false, errors.Join(worked, err)
	}
	if v.isLive(&state) { // another process was the first to put the live routing in force
		return true, nil
	}
	if state.Plan == nil || !samePlan(state.Plan, plan) {
		switch {
		case worked != nil && state.Plan != nil: // another process fixed the range at the same moment
			return true, nil
		case worked != nil:
			return false, worked
		}
		return false, errEarly
	}
	now := state.Progress()
	switch {
	case worked != nil:
		return false, worked
	case !now.Finished:
		if err := v.tell(plan, now, before, took); err != nil {
			return false, err
		}
		return false, v.interrupted(now)
	}
	if err := v.tell(plan, now, before, took); err != nil || v.flags.into == "" || ctx.Err() != nil {
		return false, err
	}
	return true, v.goLive(ctx, &state)
}

func samePlan(a, b *protocol.Plan) bool {
	return a.Fixed == b.Fixed && a.Order == b.Order && slices.Equal(a.Ranges, b.Ranges)
}

// errEarly is the error of a process that ended before a range was in force.
var errEarly = &exit.Error{Code: exit.Interrupted, Err: errors.New("stopped before the backfill began; the same command begins it")}

// interrupted is the error of a process that ended before the range did.
func (v *backfillVerb) interrupted(s protocol.Progress) error {
	return &exit.Error{Code: exit.Interrupted, Err: fmt.Errorf("stopped at %s of the range; to go on: %s", backfills.Share(s), v.again())}
}

// serve runs the service on a plan, and shows its progress.
func (v *backfillVerb) serve(ctx context.Context, plan *protocol.Plan) error {
	memory.Limit(v.config.Judge.Window)
	memory.WarnOfLimit(v.config, memory.ContainerLimits(), v.logger)
	p, err := buildWith(ctx, v.config, v.embedded, v.logger, func(s *consumer.Setup) {
		s.Plan, s.MaxRate, s.GoesOn = plan, v.flags.maxRate, v.flags.into != ""
	})
	if err != nil {
		return err
	}
	group, inner := errgroup.WithContext(ctx)
	showing, shown := context.WithCancel(context.WithoutCancel(ctx))
	group.Go(func() error {
		v.show(showing, p.service.Backfill)
		return nil
	})
	group.Go(func() error {
		defer shown()
		return p.run(inner, 0, v.logger)
	})
	err = group.Wait()
	shown()
	return err
}

// showEvery is how often the line on a terminal is drawn anew.
const showEvery = 500 * time.Millisecond

// show shows the progress until ctx is done: on a terminal in place, elsewhere as a line of the log now and then.
func (v *backfillVerb) show(ctx context.Context, progress func() consumer.Progress) {
	line := terminal.NewStages(v.cmd.ErrOrStderr())
	defer line.End()
	var pace backfills.Pace
	tick := time.NewTicker(showEvery)
	defer tick.Stop()
	logged := time.Now()
	for {
		select {
		case now := <-tick.C:
			s := progress()
			if s.Total == 0 {
				continue
			}
			pace.See(now, s)
			line.Line(pace.Line(v.job.Name, s))
			if every := v.config.Log.Every; every > 0 && now.Sub(logged) >= every {
				logged = now
				v.log(&pace, s)
			}
		case <-ctx.Done():
			return
		}
	}
}

// log logs the progress.
func (v *backfillVerb) log(pace *backfills.Pace, s consumer.Progress) {
	e := v.logger.Info().Str("backfill", v.job.Name).Int64("done", s.Done).Int64("total", s.Total).Float64("documents_per_s", float64(int(pace.Rate()))).
		Int64("unique", s.Tally.Unique+s.Tally.Reemitted).Int64("duplicate", s.Tally.Duplicate).Int64("rejected", s.Tally.Rejected)
	if left, ok := pace.Left(s); ok {
		e.Dur("left_ms", left)
	}
	e.Msg("at work on the range")
}

// tell writes the summary.
func (v *backfillVerb) tell(plan *protocol.Plan, now, before protocol.Progress, took time.Duration) error {
	s := backfills.NewSummary(&v.job, plan, v.config.Sink, now)
	s.Took(took, before.Tally.Documents())
	switch {
	case took == 0 && plan.Documents() == 0:
		v.say("nothing to do: the range is empty")
	case took == 0 && now.Finished:
		v.say("nothing to do: the range was judged before")
	}
	if cmdline.Bool(v.cmd, "json") {
		return s.WriteJSON(v.cmd.OutOrStdout())
	}
	return s.WriteText(v.cmd.OutOrStdout())
}

// say tells a person, or the log if that is for collectors, what happens.
func (v *backfillVerb) say(what string) {
	if v.logsJSON {
		v.logger.Info().Str("backfill", v.job.Name).Msg(what)
		return
	}
	fmt.Fprintf(v.cmd.ErrOrStderr(), "unecho: %s: %s\n", v.job.Name, what)
}

// liveText is the routing of the live group that the job goes on as.
func (v *backfillVerb) liveText() []byte {
	return routing.Text(v.config.Source.Topics, v.config.Source.Start, v.config.Sink)
}

// isLive says whether the job has gone on as a live group before: the routing in force is that of the group, and another
// was in force before it.
func (v *backfillVerb) isLive(s *backfill.State) bool {
	return v.flags.into != "" && s.Plan == nil && s.Routing.Routes.Number > 1 && string(s.Routing.Routes.Text) == string(v.liveText())
}

// goLive puts the routing of the live group in force. If another process was faster, that is as good.
func (v *backfillVerb) goLive(ctx context.Context, s *backfill.State) error {
	in := routing.Journal{Options: v.job.Kafka, Topic: v.job.Journal, Group: v.job.Group}
	_, err := in.Apply(ctx, v.config.Journal, s.Routing, v.liveText())
	if err != nil && !errors.Is(err, routing.ErrOvertaken) {
		return fmt.Errorf("go on as group %s: %w", v.job.Group, err)
	}
	return nil
}

// live runs the group as `unecho run` does.
func (v *backfillVerb) live(ctx context.Context) error {
	memory.Limit(v.config.Judge.Window)
	memory.WarnOfLimit(v.config, memory.ContainerLimits(), v.logger)
	p, err := build(ctx, v.config, v.embedded, v.logger)
	if err != nil {
		return err
	}
	return p.run(ctx, v.config.Log.Every, v.logger)
}
