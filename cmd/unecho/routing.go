package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/snapshots"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

// routingCommand holds the verbs about where documents come from and where they go.
func routingCommand() *cobra.Command {
	cmd := cmdline.GroupCommand(&cobra.Command{
		Use:   "routing",
		Short: "Show, compare and change what a group reads and where it forwards",
		Long: "The routing of a group is what its members must agree on beside the settings that decide verdicts: source.topics,\n" +
			"source.start, the topics of the outputs, sink.dry_run. The first member declares it in the journal, and a member that\n" +
			"differs does not start. To change it is one command, and what is remembered stays.",
	})
	cmd.AddCommand(routingShowCommand(), routingDiffCommand(), routingApplyCommand())
	return cmd
}

func routingShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "show", Short: "Print the routing in force", Args: cmdline.AtMost(0, ""),
		RunE: onRouting(func(_ context.Context, cmd *cobra.Command, r *routingVerb) error { return r.show(cmd) }),
	}
	addRoutingFlags(cmd)
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) { f.Bool("json", false, "one JSON object") })
	return cmd
}

func routingDiffCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "diff", Short: "Compare a configuration with the routing in force",
		Long: "Compare a configuration with the routing in force. The exit code is 0 if they agree, 1 if they differ, 2 if that could\n" +
			"not be found out.",
		Args: cmdline.AtMost(0, ""),
		RunE: onRouting(func(_ context.Context, cmd *cobra.Command, r *routingVerb) error {
			if r.agrees() {
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "this configuration has the routing in force in journal %s\n", r.journal.Topic)
				return err
			}
			if err := r.tellDifference(cmd.OutOrStdout()); err != nil {
				return err
			}
			return errOtherRouting
		}),
	}
	addRoutingFlags(cmd)
	return cmd
}

// errOtherRouting ends diff after it has written the difference.
var errOtherRouting = errors.New("the routing differs: `unecho routing apply` puts that of this configuration in force")

func routingApplyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "apply", Short: "Put the routing of a configuration in force for all members",
		Long: "Put the routing of a configuration in force. Members that work by another one end when they read that, and say how they\n" +
			"differ: start them with this configuration. What was judged before and is not committed goes where the new routing\n" +
			"says; what is remembered stays.",
		Example: "  unecho routing apply --config unecho.yaml --dry-run\n" +
			"  unecho routing apply --config unecho.yaml",
		Args: cmdline.AtMost(0, ""),
		RunE: onRouting(func(ctx context.Context, cmd *cobra.Command, r *routingVerb) error { return r.apply(ctx, cmd) }),
	}
	addRoutingFlags(cmd)
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) { f.Bool("dry-run", false, "only print what would change") })
	return cmd
}

func addRoutingFlags(cmd *cobra.Command) {
	addServiceFlags(cmd, "kafka.brokers", "source.topics", "consumer.group", "journal.topic")
}

// routingVerb is one run of such a verb.
type routingVerb struct {
	config  config.Config
	journal routing.Journal
	text    []byte // of the configuration
	now     routing.State
}

// onRouting runs a verb after the journal was read.
func onRouting(do func(context.Context, *cobra.Command, *routingVerb) error) func(*cobra.Command, []string) error {
	return onService(func(ctx context.Context, cmd *cobra.Command, c config.Config) error {
		options, err := kafkaOf(cmd, c)
		if err != nil {
			return exit.Undone(err)
		}
		r := &routingVerb{
			config: c, text: routing.Text(c.Source.Topics, c.Source.Start, c.Sink),
			journal: routing.Journal{Options: options, Topic: journalTopic(c), Group: c.Consumer.Group},
		}
		if r.now, err = r.journal.Read(ctx); err != nil {
			return exit.Undone(err)
		}
		if r.now.Routes.Number == 0 {
			return exit.Undone(fmt.Errorf("no routing is in force in journal %s yet: the first member to start declares its own", r.journal.Topic))
		}
		return do(ctx, cmd, r)
	})
}

func (r *routingVerb) agrees() bool { return bytes.Equal(r.text, r.now.Routes.Text) }

func (r *routingVerb) show(cmd *cobra.Command) error {
	out := cmd.OutOrStdout()
	if cmdline.Bool(cmd, "json") {
		return json.NewEncoder(out).Encode(struct {
			Journal string          `json:"journal"`
			Number  uint32          `json:"number"`
			Routing json.RawMessage `json:"routing"`
		}{r.journal.Topic, r.now.Routes.Number, r.now.Routes.Text})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "journal %s, routing %d\n", r.journal.Topic, r.now.Routes.Number)
	snapshots.WriteSettings(&b, r.now.Routes.Text)
	_, err := io.WriteString(out, b.String())
	return err
}

func (r *routingVerb) tellDifference(out io.Writer) error {
	var b strings.Builder
	for _, line := range routing.Diff(r.text, r.now.Routes.Text) {
		b.WriteString(line + "\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (r *routingVerb) apply(ctx context.Context, cmd *cobra.Command) error {
	out := cmd.OutOrStdout()
	switch {
	case r.agrees():
		_, err := fmt.Fprintf(out, "nothing to change: this configuration has the routing in force in journal %s\n", r.journal.Topic)
		return err
	case index.Fingerprint(r.config.Settings()) != index.Fingerprint(r.now.Settings):
		return fmt.Errorf("the settings differ from those that journal %s was begun with, which no routing changes:\n    %s\n  use the settings of the members",
			r.journal.Topic, strings.Join(setting.Diff(r.config.Settings(), r.now.Settings), "\n    "))
	}
	if err := r.tellDifference(out); err != nil || cmdline.Bool(cmd, "dry-run") {
		return err
	}
	now, err := r.journal.Apply(ctx, r.config.Journal, r.now, r.text)
	if errors.Is(err, routing.ErrOvertaken) {
		return fmt.Errorf("%w: nothing of this one counts. See `unecho routing diff`, and apply it again", err)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "in force as routing %d: members that work by another one end now; start them with this configuration\n", now.Routes.Number)
	return err
}
