package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

// AddSourceFlags adds the flags of verbs that talk to a running service's Kafka about one source topic.
func AddSourceFlags(cmd *cobra.Command) {
	AddFlags(cmd)
	cmdline.Add(cmd, cmdline.Service, func(f cmdline.Flags) {
		f.Text("topic", "topic", "", "the source topic (default the first of sources.topics)")
	})
}

// AddFlags adds the flags that name a service: by its configuration, parts of which may be given by flags with
// the name of the setting: --sources-topics is sources.topics.
func AddFlags(cmd *cobra.Command, settings ...string) {
	cmdline.AddSet(cmd)
	cmdline.Add(cmd, cmdline.Service, func(f cmdline.Flags) {
		f.TextP("config", "c", "file", "", "the service's configuration file (default "+cmdline.DefaultFile+
			", if it is there)")
	})
	for _, f := range setting.Shape(config.Default()) {
		for _, key := range settings {
			if setting.Plain(f.Key) == key {
				cmdline.AddSettingCalled(cmd, f, strings.NewReplacer(".", "-", "_", "-").Replace(key))
			}
		}
	}
}

// Service is the service that a verb talks to.
type Service struct {
	Config config.Config
	Kafka  topic.Options
}

// Journal is the topic of its journal.
func (s *Service) Journal() string { return s.Config.Journal.Name(s.Config.Consumer.Group) }

// AsBegun sets what the configuration leaves open as the group's journal was begun with it.
func (s *Service) AsBegun(ctx context.Context) (err error) {
	j := routing.Journal{Options: s.Kafka, Topic: s.Journal(), Group: s.Config.Consumer.Group}
	s.Config.Judge, err = j.AsBegun(ctx, s.Config.Judge)
	return err
}

// reach returns the service of a configuration.
func reach(cmd *cobra.Command, c config.Config) (s *Service, err error) {
	s = &Service{Config: c}
	s.Kafka, err = kafka(cmd, c)
	return s, err
}

// Source returns the service whose topics are meant, and its source topic.
func Source(cmd *cobra.Command) (s *Service, source string, err error) {
	c, err := Resolve(cmd, Layers{Base: anyGroup})
	if err != nil {
		return nil, "", err
	}
	topics := document.Named(c.Sources)
	if source = cmdline.Text(cmd, "topic"); source == "" && len(topics) == 0 {
		return nil, "", exit.Usage(fmt.Errorf("sources.pattern names no topic: say by --topic which one is meant"))
	}
	if source == "" {
		source = topics[0]
	}
	s, err = reach(cmd, c)
	return s, source, err
}

// Resolve returns the configuration of the named service.
func Resolve(cmd *cobra.Command, l Layers) (config.Config, error) {
	c, err := Config(cmd, l)
	if err != nil && cmdline.ConfigFile(cmd) == "" {
		return c, errors.New("no service to talk to: give its configuration with --config")
	}
	return c, err
}

// Look is what a verb does with a service.
type Look func(ctx context.Context, cmd *cobra.Command, s *Service, args []string) error

// OnService builds a verb that looks at the named service. If the verb could not look, its error is marked as undone;
// the verb itself reports an interruption.
func OnService(look Look) func(*cobra.Command, []string) error {
	return on(Layers{}, look)
}

// OnCluster builds a verb that looks at all of a cluster. So the configuration need not name topics, nor a group.
func OnCluster(look Look) func(*cobra.Command, []string) error {
	return on(Layers{Base: func(c *config.Config) {
		anyGroup(c)
		c.Sources, c.AnyTopics = AnySource(), true
	}}, look)
}

// anyGroup is for verbs that take no part in a group, and look at none.
func anyGroup(c *config.Config) { c.Consumer.Group = Group }

func on(l Layers, look Look) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		ctx, stop := exit.UntilSignal(cmd.Context(), io.Discard)
		defer stop()
		defer exit.MarkInterrupted(ctx, &err)
		c, err := Resolve(cmd, l)
		if err != nil {
			return exit.Undone(err)
		}
		s, err := reach(cmd, c)
		if err != nil {
			return exit.Undone(err)
		}
		return look(ctx, cmd, s, args)
	}
}

// kafka returns how a verb reaches the cluster of a configuration.
func kafka(cmd *cobra.Command, c config.Config) (topic.Options, error) {
	if !cmd.Flag(cmdline.LogLevelFlag).Changed {
		c.Log.Level = "error"
	}
	logger, err := terminal.NewLogger(cmd.ErrOrStderr(), c.Log)
	if err != nil {
		return topic.Options{}, err
	}
	return broker.Options(c.Kafka, logger)
}

// Group is the consumer group where nothing else is configured.
const Group = "unecho"

// AnySource is the source where nothing else is configured.
func AnySource() []document.Source {
	s := document.DefaultSource()
	s.Topics = []string{"documents"}
	return []document.Source{s}
}

// Layers are what a verb adds to the configuration.
type Layers struct {
	Base  func(*config.Config) // changes the defaults; may be nil
	Under []string             // settings that outrank file and environment only, in the form of --set
	Over  []string             // settings that outrank everything
}

// Config returns the configuration.
func Config(cmd *cobra.Command, l Layers) (config.Config, error) {
	base := config.Default()
	if l.Base != nil {
		l.Base(&base)
	}
	loaded, err := config.ResolveFrom(base, cmdline.ConfigFile(cmd), os.Environ(),
		slices.Concat(l.Under, cmdline.Texts(cmd, "set"), cmdline.Given(cmd), cmdline.LogSets(cmd), l.Over))
	return loaded.Config, err
}

// Sources returns the topics that it reads: those that are named, and those of the cluster that fit its pattern.
func (s *Service) Sources(ctx context.Context) ([]string, error) {
	c := s.Config
	choice, err := routing.Choose(c.Sources, c.Sink, s.Journal())
	if err != nil {
		return nil, err
	}
	found, err := choice.Ask(ctx, s.Kafka)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("no topic fits sources.pattern %s, or none that this user may see", choice.Patterns())
	}
	return found, err
}

// Records reaches the cluster of the configuration, for verbs that otherwise need no Kafka. The reader reads records as
// the service does.
func Records(cmd *cobra.Command, c config.Config) (opts topic.Options, reader *corpus.TopicReader, err error) {
	if len(c.Kafka.Brokers) == 0 {
		return opts, nil, exit.Usage(errors.New("no cluster to read from: name the service's configuration by --config, or " +
			"its brokers by --set kafka.brokers=localhost:9092"))
	}
	if opts, err = kafka(cmd, c); err != nil {
		return opts, nil, err
	}
	reader, err = corpus.NewTopicReader(c.Readings())
	return opts, reader, err
}

// AddDirectory adds the flag of a verb that follows a journal and can keep old documents in files.
func AddDirectory(cmd *cobra.Command) {
	cmdline.Add(cmd, cmdline.Advanced, func(f cmdline.Flags) {
		f.Text("directory", "dir", "", "keep old documents in files of this directory during the run")
	})
}

// CheckDirectory refuses that flag for a group whose old documents cannot lie in files.
func CheckDirectory(cmd *cobra.Command, p *index.Params) error {
	wrong := p.Duplicates.Remember.WrongFiles("--directory", cmdline.Text(cmd, "directory"))
	if len(wrong) == 0 {
		return nil
	}
	return exit.Usage(errors.New(wrong[0].String()))
}
