package bounds

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/snapshots"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

// Group is a group whose settings are in force, and a configuration of it.
type Group struct {
	config  config.Config
	journal routing.Journal
	text    []byte // settings of the configuration
	now     routing.State
}

// Read reads the settings in force from the group's journal.
func Read(ctx context.Context, c config.Config, options topic.Options) (*Group, error) {
	g := &Group{
		config: c, text: c.Settings(),
		journal: routing.Journal{Options: options, Topic: c.Journal.Name(c.Consumer.Group), Group: c.Consumer.Group},
	}
	var err error
	if g.now, err = g.journal.Read(ctx); err != nil {
		return nil, exit.Undone(err)
	}
	if g.now.Settings == nil {
		return nil, exit.Undone(fmt.Errorf(
			"no settings are in force in journal %s yet: the first member to start declares its own", g.journal.Topic))
	}
	return g, nil
}

// inForce returns the canonical text of all settings in force.
func (g *Group) inForce() []byte {
	values := map[string]json.RawMessage{}
	for _, text := range [][]byte{g.now.Settings, g.now.Bounds.Text} {
		// What the journal holds was read by members. A text that is none shows nothing.
		_ = json.Unmarshal(text, &values)
	}
	return setting.Encode(values)
}

// Show writes the settings in force.
func (g *Group) Show(out io.Writer, asJSON bool) error {
	if asJSON {
		return terminal.WriteJSON(out, struct {
			Journal  string          `json:"journal"`
			Change   uint32          `json:"change"`
			Settings json.RawMessage `json:"settings"`
		}{g.journal.Topic, g.now.Bounds.Number, g.inForce()})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "journal %s, %s\n", g.journal.Topic, nameOf(g.now.Bounds.Number))
	snapshots.WriteSettings(&b, g.inForce())
	_, err := io.WriteString(out, b.String())
	return err
}

// nameOf names bounds by the number of their change.
func nameOf(number uint32) string {
	if number == 0 {
		return "bounds as it was begun with"
	}
	return fmt.Sprintf("bounds of change %d", number)
}

// difference is how a configuration differs from the settings in force.
type difference struct {
	Fixed  []string `json:"fixed"`  // by which entries are made: members with these do not start
	Bounds []string `json:"bounds"` // what apply puts in force
}

func (g *Group) difference() difference {
	return difference{Fixed: index.Diff(g.text, g.now.Settings), Bounds: index.BoundsDiff(g.text, g.now.Bounds)}
}

// errOther ends Diff after it has written the difference.
var errOther = errors.New("the settings differ: `unecho settings apply` puts the bounds of this configuration in force")

// Diff compares the configuration with the settings in force. It is an error if they differ.
func (g *Group) Diff(out io.Writer, asJSON bool) error {
	d := g.difference()
	differ := len(d.Fixed)+len(d.Bounds) > 0
	var err error
	switch {
	case asJSON:
		err = terminal.WriteJSON(out, d)
	case !differ:
		_, err = fmt.Fprintf(out, "this configuration has the settings in force in journal %s\n", g.journal.Topic)
	default:
		err = tell(out, append(d.Fixed, d.Bounds...))
	}
	switch {
	case err != nil || !differ:
		return err
	case len(d.Fixed) > 0:
		return fixedError(g.journal.Topic, d.Fixed)
	}
	return errOther
}

func tell(out io.Writer, lines []string) error {
	_, err := io.WriteString(out, strings.Join(lines, "\n")+"\n")
	return err
}

// fixedError says that a configuration differs in what cannot be changed.
func fixedError(journal string, lines []string) error {
	return fmt.Errorf("entries would differ from those in journal %s, and could not be compared with them:\n    %s\n  use the "+
		"settings of the members, or let a second group take over: see \"Change a setting that decides\" in operations.md",
		journal, strings.Join(lines, "\n    "))
}
