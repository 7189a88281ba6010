package backfills

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/assembly"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/target"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/broker"
)

// process is one that works on a job.
type process struct {
	*voice
	shell  *shell
	flags  *Flags
	config config.Config // of the job
	job    backfill.Job
}

// replay works on the job that the flags describe until its range is judged, or a signal comes.
func replay(ctx context.Context, f *Flags, shell *shell) error {
	v, err := newProcess(f, shell)
	if err == nil {
		signalled, stop := exit.UntilSignalWith(ctx, exit.Announces(v.Err, v.logsJSON, v.logger))
		defer stop()
		err = v.run(signalled)
		exit.MarkInterrupted(signalled, &err)
	}
	return exit.InLog(err, v != nil && v.logsJSON)
}

// newProcess returns the job that the command line and the configuration describe. It is nil if there is no
// configuration.
func newProcess(f *Flags, shell *shell) (*process, error) {
	shell.anyTopics = f.namesTopics()
	c, name, err := f.settings(shell.read)
	if err != nil {
		return nil, exit.InLog(err, terminal.IsJSON(shell.cmd.ErrOrStderr(), c.Log))
	}
	v := &process{voice: newVoice(shell, f.JSON, "backfill", name, c.Log), shell: shell, flags: f, config: c}
	if v.logger, err = assembly.Logger(v.Err, c); err != nil {
		return nil, err
	}
	options, err := broker.Options(c.Kafka, v.logger)
	if err != nil {
		return v, err
	}
	v.job = backfill.Job{Kafka: options, Name: name, Group: c.Consumer.Group, Journal: c.Journal.Name(c.Consumer.Group)}
	return v, nil
}

// adopt takes over from a job in force what the command line does not say.
func (v *process) adopt(s *backfill.State) error {
	if err := v.config.Only(s.Topics()); err != nil {
		return err
	}
	out, dry := s.Outputs()
	if v.config.Sink.DryRun = dry; dry {
		return nil
	}
	to := &v.config.Sink
	to.Unique, to.Duplicate, to.Rejected, to.Verdicts = out.Unique, out.Duplicate, out.Rejected, out.Verdicts
	to.Clusters = out.Clusters
	return nil
}

// again is the command that goes on with the job, or looks at it again.
func (v *process) again() string {
	line := []string{"unecho backfill", "--name", v.job.Name}
	if v.flags.Into != "" {
		line[1] = "--into"
	}
	if v.config.Sink.DryRun {
		line = append(line, "--dry-run")
	}
	return strings.Join(slices.Concat(line, v.flags.Config, v.flags.deciding()), " ")
}

// deciding are the arguments that set what decides verdicts: without them the journal would be refused. Others are left
// out, for there may be secrets among them.
func (f *Flags) deciding() (args []string) {
	for _, set := range f.Sets {
		section, _, _ := strings.Cut(set, ".")
		if slices.Contains([]string{"advanced", "duplicates", "normalize", "sources"}, section) {
			args = append(args, "--set", set)
		}
	}
	return args
}

// shell is the program around a verb that works on ranges or files.
type shell struct {
	cmd       *cobra.Command
	version   string
	anyTopics bool // the configuration need not name any
}

// read reads the configuration, with settings that outrank everything in it.
func (s *shell) read(sets []string) (config.Config, error) {
	l := target.Layers{Under: []string{"http.listen="}, Over: sets}
	l.Base = func(c *config.Config) {
		if c.AnyTopics = s.anyTopics; terminal.Is(s.cmd.ErrOrStderr()) { // the progress is what a person looks at
			c.Log.Level = "warn"
		}
	}
	return target.Resolve(s.cmd, l)
}
