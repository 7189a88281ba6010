package backfills

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/cmd/internal/assembly"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/memory"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/stop"
)

// run works until the range is judged, and then on as a live group if that is asked for. It begins again if another
// process has fixed the range at the same moment, because that one counts.
func (v *process) run(ctx context.Context) error {
	for {
		state, err := v.job.Look(ctx)
		if err != nil {
			return err
		}
		if v.isLive(&state) {
			v.report("the range is judged: the group goes on live")
			return v.live(ctx)
		}
		plan, err := v.job.Agree(&state, v.flags.asked(v.config.Sink.DryRun))
		if err != nil {
			return err
		}
		if plan != nil {
			err = v.adopt(&state)
		} else {
			plan, err = v.begin(ctx)
		}
		if err != nil {
			return err
		}
		before := protocol.Progress{Total: plan.Documents()}
		if state.Plan != nil {
			before = state.Progress()
		}
		if v.nothingLeft(plan, before) {
			if before.Finished {
				v.awaitOutputs(ctx) // a process before this one may have ended without
			}
			before.Finished = true
			return v.printSummary(plan, before, before, 0)
		}
		again, err := v.work(ctx, plan, before)
		if err != nil || !again {
			return err
		}
	}
}

// nothingLeft says whether no service needs to run: the range is judged, or was empty from the beginning.
func (v *process) nothingLeft(plan *protocol.Plan, s protocol.Progress) bool {
	return v.flags.Into == "" && (s.Finished || plan.Documents() == 0)
}

// begin loads the files, if the documents are those of files, and fixes the range.
func (v *process) begin(ctx context.Context) (*protocol.Plan, error) {
	if len(v.flags.Files) > 0 {
		l := &loading{v.voice, v.flags, v.config, v.job.Kafka, v.job.Name, backfill.FilesOf(v.job.Name)}
		if err := l.load(ctx); err != nil {
			return nil, err
		}
	} else if slices.Contains(document.Named(v.config.Sources), backfill.FilesOf(v.job.Name)) {
		return nil, &stop.Error{
			What:   "there is no backfill " + v.job.Name + " of files, and the configuration names no topics",
			Remedy: "correct --name; or begin it with --files FILE..., or with --topic TOPIC",
		}
	}
	return v.fix(ctx)
}

// fix turns what is asked for into a plan.
func (v *process) fix(ctx context.Context) (*protocol.Plan, error) {
	return backfill.Fix(ctx, v.job.Kafka, backfill.Request{
		Topics: document.Named(v.config.Sources), From: v.flags.From, To: v.flags.To, Order: v.flags.Order, Gapless: v.flags.Into != "",
	}, time.Now())
}

// work runs the service on a plan, and tells how that ended. again says that another plan was in force.
func (v *process) work(ctx context.Context, plan *protocol.Plan, before protocol.Progress) (again bool, err error) {
	began := time.Now()
	worked := v.serve(ctx, plan)
	if errors.Is(worked, consumer.ErrHangs) {
		return false, worked
	}
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
		if err := v.printSummary(plan, now, before, took); err != nil {
			return false, err
		}
		return false, v.interrupted(now)
	}
	v.awaitOutputs(ctx)
	if err := v.printSummary(plan, now, before, took); err != nil || v.flags.Into == "" || ctx.Err() != nil {
		return false, err
	}
	return true, v.goLive(ctx, &state)
}

func samePlan(a, b *protocol.Plan) bool {
	return a.Fixed == b.Fixed && a.Order == b.Order && slices.Equal(a.Ranges, b.Ranges)
}

// errEarly is the error of a process that ended before a range was in force.
var errEarly = &exit.Error{
	Code: exit.Interrupted,
	Err:  errors.New("stopped before the backfill began; the same command begins it"),
}

// interrupted is the error of a process that ended before the range did.
func (v *process) interrupted(s protocol.Progress) error {
	return &exit.Error{
		Code: exit.Interrupted,
		Err:  fmt.Errorf("stopped at %s of the range; to go on: %s", Share(s), v.again()),
	}
}

// serve runs the service on a plan, and shows its progress.
func (v *process) serve(ctx context.Context, plan *protocol.Plan) error {
	p, err := v.build(ctx, func(s *consumer.Setup) {
		s.Plan, s.MaxRate, s.GoesOn = plan, v.flags.MaxRate, v.flags.Into != ""
	})
	if err != nil {
		return err
	}
	group, inner := errgroup.WithContext(ctx)
	showing, shown := context.WithCancel(context.WithoutCancel(ctx))
	group.Go(func() error {
		v.show(showing, "at work on the range", v.look(p.Backfill))
		return nil
	})
	group.Go(func() error {
		defer shown()
		return p.Run(inner, 0, v.logger)
	})
	err = group.Wait()
	shown()
	return err
}

func (v *process) look(progress func() consumer.Progress) func(*Pace, time.Time) stage {
	return func(pace *Pace, now time.Time) stage {
		s := progress()
		if s.Total == 0 {
			return stage{}
		}
		pace.See(now, s)
		return stage{s, pace.Line(v.job.Name, s), func(e *zerolog.Event) {
			e.Int64("unique", s.Tally.Unique+s.Tally.Reemitted).Int64("duplicate", s.Tally.Duplicate).
				Int64("rejected", s.Tally.Rejected)
		}}
	}
}

func (v *process) printSummary(plan *protocol.Plan, now, before protocol.Progress, took time.Duration) error {
	s := NewSummary(&v.job, plan, v.config.Sink, now)
	s.Took(took, before.Tally.Documents())
	switch {
	case took == 0 && plan.Documents() == 0:
		v.report("nothing to do: the range is empty")
	case took == 0 && now.Finished:
		v.report("nothing to do: the range was judged before")
	}
	return v.conclude(&s)
}

// liveText is the routing of the live group that the job goes on as.
func (v *process) liveText() []byte {
	return routing.Text(v.config.Sources, v.config.Sink)
}

// isLive says whether the job has gone on as a live group before: the routing in force is that of the group, and
// another was in force before it.
func (v *process) isLive(s *backfill.State) bool {
	return v.flags.Into != "" && s.Plan == nil && s.Routing.Routes.Number > 1 &&
		string(s.Routing.Routes.Text) == string(v.liveText())
}

// goLive puts the routing of the live group in force. If another process was faster, that is as good.
func (v *process) goLive(ctx context.Context, s *backfill.State) error {
	in := routing.Journal{Options: v.job.Kafka, Topic: v.job.Journal, Group: v.job.Group}
	_, err := in.Apply(ctx, v.config.Journal, s.Routing, v.liveText())
	if err != nil && !errors.Is(err, routing.ErrOvertaken) {
		return fmt.Errorf("go on as group %s: %w", v.job.Group, err)
	}
	return nil
}

// live runs the group as `unecho run` does.
func (v *process) live(ctx context.Context) error {
	p, err := v.build(ctx, nil)
	if err != nil {
		return err
	}
	return p.Run(ctx, assembly.StandingEvery, v.logger)
}

// build builds the service. more makes it more than its configuration; it may be nil.
func (v *process) build(ctx context.Context, more func(*consumer.Setup)) (*assembly.Parts, error) {
	memory.Bound(v.config, v.logger)
	return assembly.Build(ctx, assembly.Params{
		Config: v.config, Version: v.shell.version, Logger: v.logger, Accepted: v.flags.Accepted, More: more,
	})
}
