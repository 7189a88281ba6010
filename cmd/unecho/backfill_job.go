package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/stop"
)

// backfillVerb is one run of the verb.
type backfillVerb struct {
	cmd      *cobra.Command
	flags    *backfillFlags
	config   config.Config // of the job
	embedded bool
	job      backfill.Job
	logger   zerolog.Logger
	logsJSON bool
}

// newBackfillVerb returns the job that the command line and the configuration describe. The verb is nil if there is no
// configuration.
func newBackfillVerb(cmd *cobra.Command, flags *backfillFlags) (*backfillVerb, error) {
	c, name, err := backfillConfig(cmd, flags)
	if err != nil {
		if terminal.IsJSON(cmd.ErrOrStderr(), c.Log) {
			err = &exit.Error{Logged: true, Err: err}
		}
		return nil, err
	}
	v := &backfillVerb{cmd: cmd, flags: flags, config: c, logsJSON: terminal.IsJSON(cmd.ErrOrStderr(), c.Log)}
	if v.logger, err = serviceLogger(cmd.ErrOrStderr(), c); err != nil {
		return nil, err
	}
	if v.embedded, err = onEmbedded(cmd, c); err != nil {
		return nil, err
	}
	options, err := broker.Options(c.Kafka, v.logger)
	if err != nil {
		return v, err
	}
	v.job = backfill.Job{Kafka: options, Name: name, Group: c.Consumer.Group, Journal: journalTopic(c)}
	return v, nil
}

// backfillConfig returns the configuration of the job, and its name. It is read twice, because the name and the outputs
// follow from the topics and the group that the file may name.
func backfillConfig(cmd *cobra.Command, f *backfillFlags) (c config.Config, name string, err error) {
	l := layers{under: []string{"ops.listen="}, over: f.outputSets(defaultOutputs("", nil))}
	if terminal.Is(cmd.ErrOrStderr()) { // the progress is what a person looks at
		l.base = func(c *config.Config) { c.Log.Level = "warn" }
	}
	topics := f.topics
	if len(f.files) > 0 {
		topics = []string{backfill.FilesOf(f.name)}
	}
	if len(topics) > 0 {
		l.over = append(l.over, "source.topics="+listed(topics))
	}
	if f.into != "" {
		l.over = f.outputSets(outputNames{})
		if len(f.topics) > 0 {
			l.over = append(l.over, "source.topics="+listed(f.topics))
		}
		return f.intoConfig(cmd, l)
	}
	l.over = append(l.over, "window.clock="+eventClock, "source.start=earliest")
	if cmdline.Bool(cmd, "dry-run") {
		l.over = append(l.over, "sink.dry_run=true")
	}
	if c, err = namedServiceWith(cmd, l); err != nil {
		return c, "", err
	}
	name, err = f.jobName(c.Source.Topics)
	if err != nil {
		return c, "", err
	}
	l.over = append(l.over, f.outputSets(defaultOutputs(name, c.Source.Topics))...)
	l.over = append(l.over, "consumer.group="+backfill.GroupOf(name), "journal.topic=", "index.name="+backfill.IndexOf(name))
	c, err = namedServiceWith(cmd, l)
	return c, name, err
}

// jobName is the name that was given, or else that of the only topic.
func (f *backfillFlags) jobName(topics []string) (string, error) {
	name := f.name
	if name == "" && len(topics) > 1 {
		return "", exit.Usage(fmt.Errorf("a backfill of several topics (%s) has no name by itself; give it one with --name", strings.Join(topics, ", ")))
	}
	if name == "" {
		name = topics[0]
	}
	if err := backfill.CheckName(name); err != nil {
		return "", exit.Usage(err)
	}
	return name, nil
}

// outputNames are the topics of the outputs; one that is empty is not said.
type outputNames struct{ unique, duplicate, rejected string }

// defaultOutputs are those of a job that names none. They are never those of the live group: readers of those would get
// what they had already.
func defaultOutputs(name string, topics []string) outputNames {
	if name != "" && slices.Contains(topics, backfill.FilesOf(name)) {
		return outputNames{name + ".backfill.unique", name + ".backfill.duplicate", name + ".backfill.rejected"}
	}
	prefix := "{source}.backfill."
	if len(topics) != 1 || topics[0] != name {
		prefix += name + "."
	}
	return outputNames{prefix + "unique", prefix + "duplicate", prefix + "rejected"}
}

// outputSets are settings for the outputs: those of the flags, or else these.
func (f *backfillFlags) outputSets(or outputNames) (sets []string) {
	for _, o := range []struct{ key, flag, or string }{
		{"sink.unique", f.unique, or.unique}, {"sink.duplicate", f.duplicate, or.duplicate}, {"sink.rejected", f.rejected, or.rejected},
	} {
		switch {
		case o.flag != "":
			sets = append(sets, o.key+"="+o.flag)
		case o.or != "":
			sets = append(sets, o.key+"="+o.or)
		}
	}
	return sets
}

// intoConfig returns the configuration of a job that goes on as a live group: as far as possible that of the file, for
// that group is to be started with it afterwards.
func (f *backfillFlags) intoConfig(cmd *cobra.Command, l layers) (config.Config, string, error) {
	c, err := namedServiceWith(cmd, l)
	if err != nil {
		return c, "", err
	}
	if c.Consumer.Group != f.into {
		if f.unique == "" || f.duplicate == "" || f.rejected == "" {
			return c, "", &stop.Error{
				What:   fmt.Sprintf("the outputs in the configuration are those of group %s, and readers of them would get everything again from %s", c.Consumer.Group, f.into),
				Remedy: fmt.Sprintf("name others with --unique, --duplicate and --rejected, or write a configuration with consumer.group: %s", f.into),
			}
		}
		l.over = append(l.over, "consumer.group="+f.into, "journal.topic=")
		if c, err = namedServiceWith(cmd, l); err != nil {
			return c, "", err
		}
	}
	if c.Judge.Window.Clock != eventClock {
		return c, "", &stop.Error{
			What:   fmt.Sprintf("a group that goes on from a backfill measures age by the documents' own times, and window.clock is %s", c.Judge.Window.Clock),
			Remedy: "set window.clock: event in the configuration, by which the group is started later, too",
		}
	}
	if strings.HasPrefix(f.into, backfill.Prefix) {
		return c, "", exit.Usage(fmt.Errorf("--into %s: names that begin with %s are those of backfills; choose another", f.into, backfill.Prefix))
	}
	return c, f.into, nil
}

// adopt takes over from a job in force what the command line does not say.
func (v *backfillVerb) adopt(s *backfill.State) {
	v.config.Source.Topics = s.Topics()
	out, dry := s.Outputs()
	if v.config.Sink.DryRun = dry; dry {
		return
	}
	v.config.Sink.Unique, v.config.Sink.Duplicate, v.config.Sink.Rejected = out.Unique, out.Duplicate, out.Rejected
}

// again is the command that goes on with the job, or looks at it again.
func (v *backfillVerb) again() string {
	line := []string{"unecho backfill"}
	switch {
	case v.flags.into != "":
		line = append(line, "--into", v.job.Name)
	default:
		line = append(line, "--name", v.job.Name)
	}
	if v.config.Sink.DryRun {
		line = append(line, "--dry-run")
	}
	return strings.Join(slices.Concat(line, configArgs(v.cmd), v.deciding()), " ")
}

// deciding are the arguments that set what decides verdicts: without them the job's journal would be refused. Others are left out,
// for there may be secrets among them.
func (v *backfillVerb) deciding() (args []string) {
	sets, err := v.cmd.Flags().GetStringArray("set")
	if err != nil {
		return nil // the command has no such flag
	}
	for _, set := range sets {
		section, _, _ := strings.Cut(set, ".")
		if slices.Contains([]string{"document", "index", "similarity", "source", "text", "window"}, section) {
			args = append(args, "--set", set)
		}
	}
	return args
}

// configArgs are the arguments that name the configuration as this command line does.
func configArgs(cmd *cobra.Command) (args []string) {
	if file := cmd.Flag("config"); file.Changed {
		args = append(args, "--config", file.Value.String())
	}
	if dir := cmd.Flag("dir"); dir.Changed {
		args = append(args, "--dir", dir.Value.String())
	}
	return args
}
