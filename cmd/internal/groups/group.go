package groups

import (
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
	"github.com/unecho/unecho/cmd/internal/target"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/routing"
)

// SettingsCommand holds the verbs about the settings that decide verdicts.
func SettingsCommand() *cobra.Command {
	diff := &cobra.Command{
		Use: "diff", Short: "Compare a configuration with the settings in force",
		Long: "Compare a configuration with the settings in force. The exit code is 0 if they agree, 1 if they differ, 2 " +
			"if that could\n" +
			"not be found out.",
	}
	apply := &cobra.Command{
		Use: "apply", Short: "Put the bounds of a configuration in force for all members",
		Long: "Put the bounds of a configuration in force. All members switch to them at the same place in the journal, whatever\n" +
			"their files say. Documents beyond narrower bounds are forgotten from there on, up to 1,024 with each that is judged.\n" +
			"The exit code is 0 if the bounds are in force, 1 if they are refused, 2 if that could not be done.",
		Example: "  unecho settings apply --config unecho.yaml --dry-run\n" +
			"  unecho settings apply --config unecho.yaml",
	}
	cmdline.AddJSON(diff, "one JSON object")
	cmdline.AddJSON(apply, "one JSON object")
	cmdline.Add(apply, cmdline.Output, func(f cmdline.Flags) {
		f.Bool("back", false, "go back to bounds that were replaced by others")
	})
	return inForceCommand(Settings, &cobra.Command{
		Use: "settings", Short: "Show, compare and change the settings that decide verdicts",
		Long: "The settings that decide verdicts are in force by the group's journal. Settings that entries depend on are fixed: a\n" +
			"member with others does not start. The bounds (duplicates.threshold, the window, duplicates.compare_copies and others) can be changed\n" +
			"by one command: every member switches at the same place in the journal, none is started again, and what is remembered\n" +
			"stays.",
	}, &cobra.Command{Use: "show", Short: "Print the settings in force"}, diff, apply)
}

// RoutingCommand holds the verbs about where documents come from and where they go.
func RoutingCommand() *cobra.Command {
	return inForceCommand(Routing, &cobra.Command{
		Use: "routing", Short: "Show, compare and change what a group reads and where it forwards",
		Long: "The routing of a group is what its members must agree on beside the settings that decide verdicts: " +
			"sources.topics,\n" +
			"sources.start, the topics of the outputs, --dry-run of run. The first member declares it in the journal, and a member that\n" +
			"differs does not start. One command changes it, and what is remembered stays.",
	}, &cobra.Command{Use: "show", Short: "Print the routing in force"}, &cobra.Command{
		Use: "diff", Short: "Compare a configuration with the routing in force",
		Long: "Compare a configuration with the routing in force. The exit code is 0 if they agree, 1 if they differ, 2 if " +
			"that could\n" +
			"not be found out.",
	}, &cobra.Command{
		Use: "apply", Short: "Put the routing of a configuration in force for all members",
		Long: "Put the routing of a configuration in force. Members with another one end when they read it, and log the difference:\n" +
			"start them with this configuration. Documents that are judged and not committed yet go where the new routing says;\n" +
			"what is remembered stays.",
		Example: "  unecho routing apply --config unecho.yaml --dry-run\n" +
			"  unecho routing apply --config unecho.yaml",
	})
}

// inForceCommand holds the verbs about a part of what is in force by a group's journal.
func inForceCommand(of func(*Group) Part, about, show, diff, apply *cobra.Command) *cobra.Command {
	show.RunE, diff.RunE, apply.RunE = onGroup(of, (*Group).show), onGroup(of, (*Group).diff), onGroup(of, (*Group).apply)
	cmdline.AddJSON(show, "one JSON object")
	cmdline.Add(apply, cmdline.Output, func(f cmdline.Flags) { f.Bool("dry-run", false, "only print what would change") })
	for _, verb := range []*cobra.Command{show, diff, apply} {
		verb.Args = cmdline.AtMost(0, "")
		target.AddFlags(verb, "kafka.brokers", "sources.topics", "group")
		about.AddCommand(verb)
	}
	return cmdline.GroupCommand(about)
}

// onGroup runs a verb after the journal was read.
func onGroup(of func(*Group) Part, do func(*Group, context.Context, *cobra.Command) error) func(*cobra.Command, []string) error {
	return target.OnService(func(ctx context.Context, cmd *cobra.Command, s *target.Service, _ []string) error {
		group, err := Read(ctx, of, s)
		if err != nil {
			return err
		}
		return do(group, ctx, cmd)
	})
}

// Group is a group and a configuration of it, beside a Part of what is in force.
type Group struct {
	part    Part
	config  config.Config
	journal routing.Journal
	now     routing.State
}

// Part is what of it verbs are about: the Settings or the Routing of a group.
type Part interface {
	words() words
	// shown returns what is in force: the number of the change, its name, the text (nil: none is declared yet).
	shown() (number uint32, name string, text []byte)
	difference() difference
	allows(back bool) error // says why the configuration's cannot be put in force
	put(ctx context.Context) (now routing.State, told string, err error)
}

// words are those for a Part: "no NAME IS in force", "the NAME DIFFERS", and of it CHANGES can be changed.
type words struct{ name, number, is, differs, changes string }

// difference is how a configuration differs from what is in force.
type difference struct {
	Fixed  []string `json:"fixed"`  // by which entries are made: members with these do not start
	Bounds []string `json:"bounds"` // what apply puts in force
	told   string
}

// Text is for people.
func (d difference) Text() string { return d.told }

// Read reads what is in force from the group's journal.
func Read(ctx context.Context, of func(*Group) Part, s *target.Service) (*Group, error) {
	g := &Group{
		config:  s.Config,
		journal: routing.Journal{Options: s.Kafka, Topic: s.Journal(), Group: s.Config.Consumer.Group},
	}
	g.part = of(g)
	var err error
	if g.now, err = g.journal.Read(ctx); err != nil {
		return nil, exit.Undone(err)
	}
	if _, _, text := g.part.shown(); text == nil {
		w := g.part.words()
		return nil, exit.Undone(fmt.Errorf("no %s %s in force in journal %s yet: the first member to start declares its own",
			w.name, w.is, g.journal.Topic))
	}
	return g, nil
}

func (g *Group) show(_ context.Context, cmd *cobra.Command) error {
	number, name, text := g.part.shown()
	if cmdline.Bool(cmd, "json") {
		w := g.part.words()
		return terminal.WriteJSON(cmd.OutOrStdout(), json.RawMessage(fmt.Sprintf(`{"journal":%q,%q:%d,%q:%s}`, g.journal.Topic,
			w.number, number, w.name, text)))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "journal %s, %s\n", g.journal.Topic, name)
	snapshots.WriteSettings(&b, text)
	_, err := io.WriteString(cmd.OutOrStdout(), b.String())
	return err
}

// diff compares the configuration with what is in force. It is an error if they differ.
func (g *Group) diff(_ context.Context, cmd *cobra.Command) error {
	w, d := g.part.words(), g.part.difference()
	lines := append(d.Fixed, d.Bounds...)
	if d.told = strings.Join(lines, "\n") + "\n"; len(lines) == 0 {
		d.told = g.agrees()
	}
	switch err := cmdline.Print(cmd, d); {
	case err != nil || len(lines) == 0:
		return err
	case len(d.Fixed) > 0:
		return fixedError(g.journal.Topic, d.Fixed)
	}
	return fmt.Errorf("the %s %s: `unecho %s apply` puts %s of this configuration in force", w.name, w.differs, w.name, w.changes)
}

func (g *Group) agrees() string {
	return fmt.Sprintf("this configuration has the %s in force in journal %s\n", g.part.words().name, g.journal.Topic)
}

type applied struct {
	Journal string   `json:"journal"`
	Change  uint32   `json:"change"`  // what is in force now
	Applied bool     `json:"applied"` // this call has changed it
	Bounds  []string `json:"bounds"`  // the differences before
	told    string
}

// Text is for people.
func (a *applied) Text() string { return a.told }

// apply puts that of the configuration in force, or only says what would change.
func (g *Group) apply(ctx context.Context, cmd *cobra.Command) error {
	d := g.part.difference()
	if len(d.Fixed) > 0 {
		return fixedError(g.journal.Topic, d.Fixed)
	}
	done := applied{Journal: g.journal.Topic, Bounds: d.Bounds}
	done.Change, _, _ = g.part.shown()
	if len(d.Bounds) == 0 {
		done.told = "nothing to change: " + g.agrees()
		return cmdline.Print(cmd, &done)
	}
	if err := g.part.allows(cmdline.Bool(cmd, "back")); err != nil {
		return err
	}
	if done.told = strings.Join(d.Bounds, "\n") + "\n"; cmdline.Bool(cmd, "dry-run") {
		return cmdline.Print(cmd, &done)
	}
	now, as, err := g.part.put(ctx)
	if errors.Is(err, routing.ErrOvertaken) {
		return fmt.Errorf("%w: this change has no effect. See `unecho %s diff`, and apply it again", err, g.part.words().name)
	}
	if err != nil {
		return exit.Undone(err)
	}
	g.now, done.Applied = now, true
	done.Change, _, _ = g.part.shown()
	done.told += fmt.Sprintf("in force as "+as+"\n", done.Change)
	return cmdline.Print(cmd, &done)
}

// fixedError says that a configuration differs in what cannot be changed.
func fixedError(journal string, lines []string) error {
	return fmt.Errorf("entries would differ from those in journal %s, and could not be compared with them:\n    %s\n  use the "+
		"settings of the members, or let a second group take over: see \"Change a setting that decides\" in deploy/docs/change.md",
		journal, strings.Join(lines, "\n    "))
}
