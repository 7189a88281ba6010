package backfills

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/assembly"
	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/memory"
	"github.com/unecho/unecho/cmd/internal/target"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot"
)

// filling is a process that fills the window of a new group.
type filling struct {
	*voice
	shell  *shell
	flags  *Flags
	config config.Config // of the group
	bounds config.Config // of memory: with the directory of the run, not that of members
	kafka  topic.Options
}

// fill fills the window of the configuration's group before the group judges anything.
func fill(ctx context.Context, f *Flags, shell *shell) error {
	v, err := newFilling(f, shell)
	if err == nil {
		signalled, stop := exit.UntilSignalWith(ctx, func() { v.report(exit.Finishing) })
		defer stop()
		err = v.run(signalled)
		exit.MarkInterrupted(signalled, &err)
	}
	return exit.InLog(err, v.logsJSON)
}

func newFilling(f *Flags, shell *shell) (*filling, error) {
	c, err := shell.read(nil)
	v := &filling{voice: newVoice(shell, f.JSON, "group", c.Consumer.Group, c.Log), shell: shell, flags: f, config: c, bounds: c}
	if err != nil {
		return v, err
	}
	v.bounds.Judge.Duplicates.Remember.Directory = f.Directory
	v.logger, err = terminal.NewLogger(v.Err, c.Log)
	return v, errors.Join(err, target.CheckDirectory(shell.cmd, &c.Judge))
}

// run fills the window, and tells how that ended.
func (v *filling) run(ctx context.Context) (err error) {
	memory.Bound(v.bounds, v.logger)
	if v.kafka, err = broker.Options(v.config.Kafka, v.logger); err != nil {
		return err
	}
	directory, err := files.OpenRun(v.flags.Directory, "unecho fill", false)
	if err != nil {
		return err
	}
	defer func() {
		if err = files.Mend(err, "the same command goes on"); !errors.Is(err, consumer.ErrHangs) {
			err = errors.Join(err, directory.End(false))
		}
	}()
	if directory == nil && v.config.Judge.Duplicates.Remember.Directory != "" {
		v.logger.Warn().Str("remedy", "add --directory DIR to keep old documents in files").
			Msg("fill ignores duplicates.remember.directory and holds the whole window in memory")
	}
	filler, closing, err := v.filler(ctx)
	if err != nil {
		return err
	}
	filler.Files = directory
	err = filler.Check(ctx)
	if err == nil && len(v.flags.Files) > 0 {
		l := &loading{v.voice, v.flags, v.config, v.kafka, v.name, backfill.FillOf(v.name)}
		err = l.load(ctx)
	}
	if err == nil {
		err = v.fill(ctx, filler)
	}
	if errors.Is(err, backfill.ErrFilled) { // perhaps by a process beside this one, meanwhile
		v.report(err.Error())
		err = nil
		if v.JSON {
			err = v.conclude(&FillSummary{Group: v.name, Finished: true, Partitions: []Partition{}})
		}
	}
	return errors.Join(err, closing())
}

// fill brings what is asked for, and shows how far it is.
func (v *filling) fill(ctx context.Context, filler *consumer.Filler) error {
	showing, shown := context.WithCancel(context.WithoutCancel(ctx))
	var beside sync.WaitGroup
	beside.Go(func() { v.show(showing, "filling the window", v.look(filler.Now)) })
	beside.Go(func() { memory.BoundGarbage(showing, v.bounds, filler.Stats) })
	began := time.Now()
	before, after, err := filler.Run(ctx)
	shown()
	beside.Wait()
	took := time.Since(began)
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx))) {
		return v.interrupted(after) // also if all was brought: the group does not forward yet
	}
	if err != nil {
		return err
	}
	return v.printSummary(before, after, took)
}

// filler wires the rooms together. closing closes what it has opened.
func (v *filling) filler(ctx context.Context) (p *consumer.Filler, closing func() error, err error) {
	what := assembly.Setup(v.config, v.kafka)
	what.Logger, what.MaxRate, what.Accepted = v.logger, v.flags.MaxRate, v.flags.Accepted
	closing = func() error { return nil }
	store, err := v.config.Snapshot.Opener().OpenExisting(ctx, v.config.Consumer.Group)
	switch {
	case errors.Is(err, snapshot.ErrNoStore):
		v.logger.Info().Msg("there are no snapshots here: the journal is read from its beginning")
	case err != nil:
		return nil, nil, err
	default:
		what.Store, closing = store, store.Close
	}
	p, err = consumer.NewFiller(what, v.flags.brings(v.config.Consumer.Group), v.report)
	if err != nil {
		return nil, nil, errors.Join(err, closing())
	}
	return p, closing, nil
}

// interrupted is the error of a process that ended before the range did.
func (v *filling) interrupted(s consumer.Fill) error {
	const goOn = "the same command goes on"
	if s.Of == nil {
		return &exit.Error{Code: exit.Interrupted, Err: errors.New("stopped before anything was remembered; " + goOn)}
	}
	return &exit.Error{Code: exit.Interrupted, Err: fmt.Errorf("stopped at %s of the range; %s", Share(s.Progress), goOn)}
}

func (v *filling) look(progress func() consumer.Fill) func(*Pace, time.Time) stage {
	return func(pace *Pace, now time.Time) stage {
		s := progress()
		if s.Total == 0 {
			return stage{}
		}
		pace.See(now, s.Progress)
		return stage{s.Progress, pace.FillLine(v.name, &s), func(e *zerolog.Event) {
			e.Uint64("remembered", s.Kept).Uint64("passed_over", s.Skipped()).Uint64("rejected", s.Rejected)
		}}
	}
}

func (v *filling) printSummary(before, after consumer.Fill, took time.Duration) error {
	if after.Of == nil {
		v.report("there is no document in the range: the group begins with an empty window")
	}
	s := NewFillSummary(v.name, &before, &after, took)
	return v.conclude(&s)
}

// FillCommand fills the window of a new group.
func FillCommand(version string) *cobra.Command {
	cmd := cmdline.Works(&cobra.Command{
		Use:   "fill [FILE...]",
		Short: "Fill the window of a new group with what a topic or files hold, before the group begins",
		Long: "Let the group of a configuration remember documents of topics or files before it judges its first one. Copies of them\n" +
			"are duplicates from the beginning. Nothing is forwarded. Each document is remembered as it is, and its age counts from\n" +
			"its own time.\n\n" +
			"Run it before the group's members are started; members that are started meanwhile wait. When it is done the group\n" +
			"forwards. Without files and --topic it takes the topics that the group reads: the group then begins where this ends. A\n" +
			"group that is to take over from another one (succeeds) is filled by its own members, and a group that forwards already\n" +
			"is refused.\n\n" +
			"It needs as much memory as a member; with --directory, old documents are kept in files.\n\n" +
			"If anything is killed meanwhile, the same command goes on. The exit code is 0 when the window is filled, 130 when a\n" +
			"signal came before.",
		Example: "  unecho fill --config unecho.yaml --topic archive\n" +
			"  unecho fill --config unecho.yaml --from -30d\n" +
			"  unecho fill --config unecho.yaml --time published 2024.jsonl.gz 2025.jsonl.gz",
		Args: cobra.ArbitraryArgs,
		RunE: working(version, fill),
	})
	target.AddFlags(cmd)
	cmdline.Add(cmd, cmdline.Input, func(f cmdline.Flags) {
		f.Texts("topic", "topic", "what is remembered; repeatable (default sources.topics)")
		f.Text("from", "when", "", "where the range begins (default duplicates.remember.age ago)")
		f.Text("to", "when", backfill.End().Text, "where the range ends; end is where the topics end when this is first started")
		f.Text("format", "choice", corpus.Auto, "of files: "+corpus.FormatsHelp())
		f.Text("time", "field", "", "of files: the field or column with a document's time (RFC 3339, or seconds or ms "+
			"since 1970); without it documents are as old as the moment they are copied")
	})
	cmdline.Offer(cmd, "format", corpus.Formats()...)
	cmdline.Add(cmd, cmdline.Service, func(f cmdline.Flags) {
		f.Int("max-rate", 0, "documents a second at most; 0 is no bound")
		assembly.AddAcceptLost(f)
	})
	target.AddDirectory(cmd)
	cmdline.AddJSON(cmd, "the summary as one JSON object")
	return cmd
}
