package groups

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/assembly"
	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/target"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/succession"
)

// HandoverCommand is the verb that has a group take over from another one.
func HandoverCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "takeover",
		Short: "Have a group take over from the one that it follows",
		Long: "Have the group of a configuration take over from the one that it follows (succeeds). The old group retires by a record\n" +
			"in its journal: its members end, and what they had not committed stays. Once the last one is gone, the new group\n" +
			"forwards from exactly where the old one had committed. Each document comes out once, by one or the other.\n\n" +
			"If anything is killed meanwhile, the same command goes on. To go back afterwards, delete the journal of the old group,\n" +
			"start the old deployment with succeeds naming the new group, and run this with its configuration. --abandon lets the\n" +
			"old group go on instead, as long as the new one has not taken over.",
		Example: "  unecho takeover --config new.yaml --plan\n" +
			"  unecho takeover --config new.yaml\n" +
			"  unecho takeover --config new.yaml --abandon",
		Args: cmdline.AtMost(0, ""),
		RunE: target.OnService(runHandover),
	}
	target.AddFlags(cmd, "kafka.brokers", "sources.topics", "group")
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.Bool("plan", false, "only say what would happen")
		f.Bool("abandon", false, "let the old group go on, if the new one has not taken over yet")
	})
	return cmd
}

// runHandover has the group of a configuration take over from the one that it follows.
func runHandover(ctx context.Context, cmd *cobra.Command, s *target.Service, _ []string) error {
	older, newer, err := followed(s)
	if err != nil {
		return err
	}
	logger, err := assembly.Logger(cmd.ErrOrStderr(), s.Config)
	if err != nil {
		return err
	}
	ctx, stop := exit.UntilSignalWith(ctx, func() {})
	defer stop()
	t := &succession.Setup{
		Kafka: s.Kafka, OldGroup: older, NewGroup: newer,
		Journal: s.Config.Journal, Abandon: cmdline.Bool(cmd, "abandon"), Logger: logger,
		Say: func(what string) { fmt.Fprintln(cmd.OutOrStdout(), what) },
	}
	found, err := t.Run(ctx, cmdline.Bool(cmd, "plan"))
	switch {
	case err != nil && ctx.Err() != nil:
		return &exit.Error{
			Code: exit.Interrupted,
			Err:  errors.New("stopped before the takeover was complete; the same command goes on"),
		}
	case err != nil:
		return exit.Undone(err)
	}
	_, err = io.WriteString(cmd.OutOrStdout(), describe(t, &found)+forecast(&found))
	return err
}

func followed(s *target.Service) (older, newer succession.Group, err error) {
	c := s.Config
	if c.Consumer.Succeeds == "" {
		err = &stop.Error{
			What:   fmt.Sprintf("group %s is to take over from no group", c.Consumer.Group),
			Remedy: "name the group from which it is to take over in succeeds, and start its members with that",
		}
	}
	older = succession.Group{Name: c.Consumer.Succeeds, Journal: c.Consumer.Followed()}
	newer = succession.Group{Name: c.Consumer.Group, Journal: s.Journal()}
	return older, newer, err
}

// describe says how a handover stands.
func describe(t *succession.Setup, r *succession.Report) string {
	var b strings.Builder
	older, newer := t.OldGroup.Name, t.NewGroup.Name
	if t.Abandon && r.Next == protocol.StepDone {
		return fmt.Sprintf("the takeover is abandoned: group %s forwards, and group %s goes on filling its window\n", older, newer)
	}
	if r.Next == protocol.StepDone {
		fmt.Fprintf(&b, "group %s has taken over from group %s\n", newer, older)
		for _, from := range r.From {
			fmt.Fprintf(&b, "  %s/%d from %s on\n", from.Topic, from.Source.Partition, terminal.Grouped(int(from.Offset)))
		}
		return b.String()
	}
	fmt.Fprintf(&b, "group %s takes over from group %s:\n", newer, older)
	for i := range r.Places {
		p := &r.Places[i]
		fmt.Fprintf(&b, "  %s/%d: %s is at %s of %s\n", p.Topic, p.Source.Partition, older, offset(p.Old), terminal.Grouped(int(p.End)))
	}
	steps := []struct {
		hand protocol.HandoverStep
		what string
	}{
		{protocol.StepRetire, fmt.Sprintf("retire group %s: a record in journal %s, on which its members end", older, t.OldGroup.Journal)},
		{protocol.StepDrain, fmt.Sprintf("wait until its members are gone: %s", members(r.Old))},
		{protocol.StepFence, "fence its transactional ids"},
		{protocol.StepActivate, fmt.Sprintf("have group %s bring the last unique documents into its window, and forward from the offsets that group %s has committed: a record in journal %s",
			newer, older, t.NewGroup.Journal)},
		{protocol.StepVoid, fmt.Sprintf("note in journal %s that group %s does not take over", t.NewGroup.Journal, newer)},
		{protocol.StepRestore, fmt.Sprintf("have group %s forward again: a record in journal %s", older, t.OldGroup.Journal)},
	}
	for _, s := range steps {
		if abandons := s.hand == protocol.StepVoid || s.hand == protocol.StepRestore; s.hand >= r.Next &&
			abandons == t.Abandon {
			fmt.Fprintf(&b, "- %s\n", s.what)
		}
	}
	return b.String()
}

// forecast says what a person may want to know before a handover.
func forecast(r *succession.Report) string {
	var b strings.Builder
	for _, line := range r.Elsewhere {
		fmt.Fprintf(&b, "its readers need other topics afterwards: %s\n", line)
	}
	return b.String()
}

func members(of []string) string {
	if len(of) == 0 {
		return "none is there"
	}
	return strings.Join(of, ", ")
}

func offset(at int64) string {
	if at < 0 {
		return "none"
	}
	return terminal.Grouped(int(at))
}
