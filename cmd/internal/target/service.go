package target

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/setting"
)

// AddSourceFlags adds the flags of verbs that talk to a running service's Kafka about one source topic.
func AddSourceFlags(cmd *cobra.Command) {
	AddFlags(cmd)
	cmdline.Add(cmd, cmdline.Service, func(f cmdline.Flags) {
		f.Text("topic", "topic", "", "the source topic (default the first of source.topics)")
	})
}

// AddFlags adds the flags that name a service: by its configuration, parts of which may be given by flags with
// the name of the setting: --journal-topic is journal.topic.
func AddFlags(cmd *cobra.Command, settings ...string) {
	cmdline.AddSet(cmd)
	cmdline.Add(cmd, cmdline.Service, func(f cmdline.Flags) {
		f.TextP("config", "c", "file", "", "the service's configuration file (default "+cmdline.DefaultFile+
			", if it is there)")
		f.Text("dir", "dir", Dir,
			"the directory of a service on an embedded broker; used if no configuration is given")
	})
	for _, f := range setting.Fields(config.Default()) {
		for _, key := range settings {
			if f.Key == key {
				cmdline.AddSettingCalled(cmd, f, strings.NewReplacer(".", "-", "_", "-").Replace(key))
			}
		}
	}
}

// Source returns the configuration of the service whose topics are meant, and its source topic.
func Source(cmd *cobra.Command) (c config.Config, source string, err error) {
	if c, err = Service(cmd, Layers{}); err != nil {
		return c, "", err
	}
	if source = cmd.Flag("topic").Value.String(); source != "" {
		return c, source, nil
	}
	if len(c.Source.Topics) == 0 {
		return c, "", exit.Usage(fmt.Errorf("source.pattern names no topic: say by --topic which one is meant"))
	}
	return c, c.Source.Topics[0], nil
}

// Service returns the configuration of the named service: the file's, or that of an embedded broker that runs in --dir.
func Service(cmd *cobra.Command, l Layers) (c config.Config, err error) {
	dir := cmd.Flag("dir").Value.String()
	named := cmd.Flag("config").Value.String() != ""
	address, err := Address(dir)
	if err != nil {
		return c, err
	}
	inProcess := address != "" && !named && (cmd.Flag("dir").Changed || cmdline.ConfigPath(nil) == "")
	if c, err = Config(cmd, inProcess, dir, l); err != nil {
		if address == "" && !named && cmdline.ConfigPath(nil) == "" {
			return c, fmt.Errorf("no service to talk to: give its configuration with --config, or start one with `unecho run "+
				"--embedded --dir %s`", dir)
		}
		return c, err
	}
	if inProcess {
		PointAt(&c, address)
	}
	return c, nil
}

// OnService builds a verb that looks at the named service. If the verb could not look, its error is marked as undone;
// the verb itself reports an interruption.
func OnService(look func(ctx context.Context, cmd *cobra.Command,
	c config.Config) error,
) func(*cobra.Command, []string) error {
	return on(func(cmd *cobra.Command) (config.Config, error) { return Service(cmd, Layers{}) }, look)
}

// OnCluster builds a verb that looks at all of a cluster. So the configuration need not name topics.
func OnCluster(look func(ctx context.Context, cmd *cobra.Command,
	c config.Config) error,
) func(*cobra.Command, []string) error {
	return on(func(cmd *cobra.Command) (config.Config, error) {
		c, err := Service(cmd, Layers{})
		if err == nil {
			return c, nil
		}
		with, other := Service(cmd, Layers{Over: []string{"source.topics=any"}})
		if other == nil { // only those were missing
			return with, nil
		}
		return c, err
	}, look)
}

func on(read func(*cobra.Command) (config.Config, error), look func(ctx context.Context, cmd *cobra.Command,
	c config.Config) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) (err error) {
		ctx, stop := exit.UntilSignal(cmd.Context(), io.Discard)
		defer stop()
		defer exit.MarkInterrupted(ctx, &err)
		c, err := read(cmd)
		if err != nil {
			return exit.Undone(err)
		}
		return look(ctx, cmd, c)
	}
}

// AsBegun returns a configuration with the settings that it leaves open as its group's journal was begun with them.
func AsBegun(ctx context.Context, cmd *cobra.Command, c config.Config) (config.Config, error) {
	options, err := Kafka(cmd, c)
	if err != nil {
		return c, err
	}
	j := routing.Journal{Options: options, Topic: c.Journal.Name(c.Consumer.Group), Group: c.Consumer.Group}
	c.Judge, err = j.AsBegun(ctx, c.Judge)
	return c, err
}

// Kafka returns how a verb reaches the cluster of a configuration.
func Kafka(cmd *cobra.Command, c config.Config) (topic.Options, error) {
	logger, err := clientLogger(cmd, c)
	if err != nil {
		return topic.Options{}, err
	}
	return broker.Options(c.Kafka, logger)
}

func clientLogger(cmd *cobra.Command, c config.Config) (zerolog.Logger, error) {
	if !cmd.Flag(cmdline.LogLevelFlag).Changed {
		c.Log.Level = "error"
	}
	return terminal.NewLogger(cmd.ErrOrStderr(), c.Log)
}
