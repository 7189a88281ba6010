package backfills

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/memory"
	"github.com/unecho/unecho/cmd/internal/snapshots"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index/snapshot"
)

// priming is a process that fills the window of a group with history.
type priming struct {
	*voice
	shell  *Shell
	flags  *Flags
	config config.Config // of the group
}

// Prime fills the window of the group that the flags name with history.
func Prime(ctx context.Context, f *Flags, shell *Shell) error {
	v, err := newPriming(f, shell)
	if err == nil {
		signalled, stop := exit.UntilSignalSaid(ctx, func() { v.say(exit.Finishing) }, nil)
		defer stop()
		err = v.run(signalled)
	}
	if err != nil && v.logsJSON {
		return &exit.Error{Logged: true, Err: err}
	}
	return err
}

func newPriming(f *Flags, shell *Shell) (*priming, error) {
	c, err := shell.Read(nil)
	v := &priming{voice: newVoice(shell, f.JSON, "group", f.Prime, c.Log), shell: shell, flags: f, config: c}
	if err != nil {
		return v, err
	}
	if group := c.Consumer.Group; group != f.Prime {
		return v, &stop.Error{
			What:   fmt.Sprintf("the configuration is that of group %s, and not of %s", group, f.Prime),
			Remedy: "prime a group with the configuration of its members: --config FILE",
		}
	}
	v.logger, err = terminal.NewLogger(shell.Err, c.Log)
	return v, err
}

// run primes the group, and tells how that ended.
func (v *priming) run(ctx context.Context) error {
	memory.Limit(v.config.Judge.Window)
	memory.WarnOfLimit(v.config, memory.ReadLimits(), v.logger)
	primer, closing, err := v.primer(ctx)
	if err != nil {
		return err
	}
	if len(v.flags.Files) > 0 {
		if err := v.load(ctx, primer); err != nil {
			return errors.Join(err, closing())
		}
	}
	showing, shown := context.WithCancel(context.WithoutCancel(ctx))
	over := make(chan struct{})
	go func() {
		defer close(over)
		v.show(showing, "priming the group", v.look(primer.Now))
	}()
	began := time.Now()
	before, after, err := primer.Run(ctx)
	shown()
	<-over
	took := time.Since(began)
	err = errors.Join(err, closing())
	if ctx.Err() != nil && (err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx))) {
		if !after.Finished {
			return v.interrupted(after)
		}
		err = nil
	}
	if err != nil {
		return err
	}
	return v.tell(before, after, took)
}

// primer wires the rooms together. closing closes what it has opened.
func (v *priming) primer(ctx context.Context) (p *consumer.Primer, closing func() error, err error) {
	embedded, err := v.shell.Embedded(v.config)
	if err != nil {
		return nil, nil, err
	}
	kafka, err := broker.Options(v.config.Kafka, v.logger)
	if err != nil {
		return nil, nil, err
	}
	what := v.shell.Setup(v.config, kafka)
	what.Logger, what.ProducerTime, what.MaxRate = v.logger, embedded, v.flags.MaxRate
	closing = func() error { return nil }
	store, err := snapshots.Open(ctx, v.config, true)
	switch {
	case errors.Is(err, snapshot.ErrNoStore):
		v.logger.Info().Msg("there are no snapshots here: the journal is read from its beginning")
	case err != nil:
		return nil, nil, err
	default:
		what.Store, closing = store, store.Close
	}
	p, err = consumer.NewPrimer(what, v.flags.primed(), v.say)
	if err != nil {
		return nil, nil, errors.Join(err, closing())
	}
	return p, closing, nil
}

// load copies the documents of the files, if the group can be primed.
func (v *priming) load(ctx context.Context, primer *consumer.Primer) error {
	if err := primer.Check(ctx); err != nil {
		return err
	}
	kafka, err := broker.Options(v.config.Kafka, v.logger)
	if err != nil {
		return err
	}
	l := &loading{v.voice, v.flags, v.config, kafka, v.flags.Name, backfill.HistoryOf(v.flags.Name)}
	return l.load(ctx)
}

// interrupted is the error of a process that ended before the range did.
func (v *priming) interrupted(s consumer.Priming) error {
	f := v.flags
	line := slices.Concat([]string{"unecho backfill --prime", f.Prime}, f.Config, f.deciding())
	if f.MaxRate > 0 {
		line = append(line, "--max-rate", fmt.Sprint(f.MaxRate))
	}
	if len(f.Files) > 0 {
		line = append(line, "--name", f.Name)
		for _, of := range []struct{ flag, value string }{{"format", f.Format}, {"time", f.Time}} {
			if f.Given(of.flag) {
				line = append(line, "--"+of.flag, of.value)
			}
		}
		line = append(line, "--files FILE...")
	}
	if s.Of == nil {
		return &exit.Error{
			Code: exit.Interrupted,
			Err:  errors.New("stopped before anything was primed; to begin again: " + strings.Join(line, " ")),
		}
	}
	return &exit.Error{
		Code: exit.Interrupted,
		Err:  fmt.Errorf("stopped at %s of the range; to go on: %s", Share(s.Progress), strings.Join(line, " ")),
	}
}

// look is how far the priming is.
func (v *priming) look(progress func() consumer.Priming) func(*Pace, time.Time) stage {
	return func(pace *Pace, now time.Time) stage {
		s := progress()
		if s.Total == 0 {
			return stage{}
		}
		pace.See(now, s.Progress)
		return stage{s.Progress, pace.PrimeLine(v.flags.Prime, &s), func(e *zerolog.Event) {
			e.Uint64("primed", s.Kept).Uint64("duplicate", s.Duplicate).Uint64("passed_over", s.PassedOver()).
				Uint64("rejected", s.Rejected)
		}}
	}
}

// tell writes the summary.
func (v *priming) tell(before, after consumer.Priming, took time.Duration) error {
	switch {
	case after.Of == nil:
		v.say("nothing to do: there is no document in the range")
	case before.Finished:
		v.say("nothing to do: the group was primed before")
	}
	s := NewPrimeSummary(v.flags.Prime, &before, &after, took)
	return v.conclude(&s)
}
