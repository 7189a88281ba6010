package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/backfills"
	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/memory"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index/snapshot"
)

// primeVerb is one run of `unecho backfill --prime`.
type primeVerb struct {
	cmd      *cobra.Command
	flags    *backfillFlags
	config   config.Config // of the group
	logger   zerolog.Logger
	logsJSON bool
}

// notToPrime are the flags of the verb that a priming has no use for, because it forwards nothing and has no job of its own.
func notToPrime() []string {
	return []string{"files", "name", "into", "order", "unique", "duplicate", "rejected", "dry-run"}
}

// checkPrime refuses what a priming has no use for.
func checkPrime(cmd *cobra.Command) (wrong []error) {
	for _, flag := range notToPrime() {
		if cmd.Flag(flag).Changed {
			wrong = append(wrong, fmt.Errorf("--prime and --%s: what primes a group forwards nothing and has no name; leave --%s out", flag, flag))
		}
	}
	return wrong
}

// primeGroup fills the window of a group with history.
func primeGroup(cmd *cobra.Command, flags *backfillFlags) error {
	v, err := newPrimeVerb(cmd, flags)
	if err == nil {
		ctx, stop := exit.UntilSignalSaid(cmd.Context(), func() { v.say(exit.Finishing) }, nil)
		defer stop()
		err = v.run(ctx)
	}
	if err != nil && v.logsJSON {
		return &exit.Error{Logged: true, Err: err}
	}
	return err
}

func newPrimeVerb(cmd *cobra.Command, flags *backfillFlags) (v *primeVerb, err error) {
	v = &primeVerb{cmd: cmd, flags: flags}
	l := layers{under: []string{"ops.listen="}}
	if terminal.Is(cmd.ErrOrStderr()) { // the progress is what a person looks at
		l.base = func(c *config.Config) { c.Log.Level = "warn" }
	}
	v.config, err = namedServiceWith(cmd, l)
	v.logsJSON = terminal.IsJSON(cmd.ErrOrStderr(), v.config.Log)
	if err != nil {
		return v, err
	}
	if group := v.config.Consumer.Group; group != flags.prime {
		return v, &stop.Error{
			What:   fmt.Sprintf("the configuration is that of group %s, and not of %s", group, flags.prime),
			Remedy: "prime a group with the configuration of its members: --config FILE",
		}
	}
	v.logger, err = terminal.NewLogger(cmd.ErrOrStderr(), v.config.Log)
	return v, err
}

// run primes the group, and tells how that ended.
func (v *primeVerb) run(ctx context.Context) error {
	memory.Limit(v.config.Judge.Window)
	memory.WarnOfLimit(v.config, memory.ContainerLimits(), v.logger)
	primer, closing, err := v.primer(ctx)
	if err != nil {
		return err
	}
	showing, shown := context.WithCancel(context.WithoutCancel(ctx))
	over := make(chan struct{})
	go func() {
		defer close(over)
		v.show(showing, primer.Now)
	}()
	began := time.Now()
	before, after, err := primer.Run(ctx)
	shown()
	<-over
	took := time.Since(began)
	err = errors.Join(err, closing())
	if ctx.Err() != nil && (err == nil || errors.Is(err, context.Canceled)) {
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
func (v *primeVerb) primer(ctx context.Context) (p *consumer.Primer, closing func() error, err error) {
	embedded, err := onEmbedded(v.cmd, v.config)
	if err != nil {
		return nil, nil, err
	}
	kafka, err := broker.Options(v.config.Kafka, v.logger)
	if err != nil {
		return nil, nil, err
	}
	what := setup(v.config, kafka)
	what.Logger, what.ProducerTime, what.MaxRate = v.logger, embedded, v.flags.maxRate
	closing = func() error { return nil }
	store, err := openStore(ctx, v.config, true)
	switch {
	case errors.Is(err, snapshot.ErrNoStore):
		v.logger.Info().Msg("there are no snapshots here: the journal is read from its beginning")
	case err != nil:
		return nil, nil, err
	default:
		what.Store, closing = store, store.Close
	}
	p, err = consumer.NewPrimer(what, v.asked(), v.say)
	if err != nil {
		return nil, nil, errors.Join(err, closing())
	}
	return p, closing, nil
}

// asked returns what the command line says of a priming that may have begun already.
func (v *primeVerb) asked() backfill.Asked {
	asked := backfill.Asked{Topics: v.flags.topics}
	if v.cmd.Flag("from").Changed {
		asked.From = &v.flags.from
	}
	if v.cmd.Flag("to").Changed {
		asked.To = &v.flags.to
	}
	return asked
}

// interrupted is the error of a process that ended before the range did.
func (v *primeVerb) interrupted(s consumer.Priming) error {
	line := slices.Concat([]string{"unecho backfill --prime", v.flags.prime}, configArgs(v.cmd))
	if s.Of == nil {
		return &exit.Error{Code: exit.Interrupted, Err: errors.New("stopped before anything was primed; to begin again: " + strings.Join(line, " "))}
	}
	return &exit.Error{Code: exit.Interrupted, Err: fmt.Errorf("stopped at %s of the range; to go on: %s", backfills.Share(s.Progress), strings.Join(line, " "))}
}

// show shows the progress until ctx is done: on a terminal in place, elsewhere as a line of the log now and then.
func (v *primeVerb) show(ctx context.Context, now func() consumer.Priming) {
	line := terminal.NewStages(v.cmd.ErrOrStderr())
	defer line.End()
	var pace backfills.Pace
	tick := time.NewTicker(showEvery)
	defer tick.Stop()
	logged := time.Now()
	for {
		select {
		case at := <-tick.C:
			s := now()
			if s.Total == 0 {
				continue
			}
			pace.See(at, s.Progress)
			line.Line(pace.PrimeLine(v.flags.prime, &s))
			if every := v.config.Log.Every; every > 0 && at.Sub(logged) >= every {
				logged = at
				v.log(&pace, &s)
			}
		case <-ctx.Done():
			return
		}
	}
}

func (v *primeVerb) log(pace *backfills.Pace, s *consumer.Priming) {
	e := v.logger.Info().Str("group", v.flags.prime).Int64("done", s.Done).Int64("total", s.Total).Float64("documents_per_s", float64(int(pace.Rate()))).
		Uint64("primed", s.Kept).Uint64("duplicate", s.Duplicate).Uint64("passed_over", s.PassedOver()).Uint64("rejected", s.Rejected)
	if left, ok := pace.Left(s.Progress); ok {
		e.Dur("left_ms", left)
	}
	e.Msg("priming the group")
}

// tell writes the summary.
func (v *primeVerb) tell(before, after consumer.Priming, took time.Duration) error {
	switch {
	case after.Of == nil:
		v.say("nothing to do: there is no document in the range")
	case before.Finished:
		v.say("nothing to do: the group was primed before")
	}
	s := backfills.NewPrimeSummary(v.flags.prime, &before, &after, took)
	if cmdline.Bool(v.cmd, "json") {
		return s.WriteJSON(v.cmd.OutOrStdout())
	}
	return s.WriteText(v.cmd.OutOrStdout())
}

// say tells a person, or the log if that is for collectors, what happens.
func (v *primeVerb) say(what string) {
	if v.logsJSON {
		v.logger.Info().Str("group", v.flags.prime).Msg(what)
		return
	}
	fmt.Fprintf(v.cmd.ErrOrStderr(), "unecho: %s: %s\n", v.flags.prime, what)
}
