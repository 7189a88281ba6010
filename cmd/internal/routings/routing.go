package routings

import (
	"bytes"
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
)

// Group is a group whose routing is in force, and a configuration of it.
type Group struct {
	config  config.Config
	journal routing.Journal
	text    []byte // of the configuration
	now     routing.State
}

// Read reads the routing in force from the group's journal.
func Read(ctx context.Context, c config.Config, options topic.Options) (*Group, error) {
	r := &Group{
		config: c, text: routing.Text(c.Source.Choice(), c.Sink),
		journal: routing.Journal{Options: options, Topic: c.Journal.Name(c.Consumer.Group), Group: c.Consumer.Group},
	}
	var err error
	if r.now, err = r.journal.Read(ctx); err != nil {
		return nil, exit.Undone(err)
	}
	if r.now.Routes.Number == 0 {
		return nil, exit.Undone(fmt.Errorf(
			"no routing is in force in journal %s yet: the first member to start declares its own", r.journal.Topic))
	}
	return r, nil
}

// errOther ends Diff after it has written the difference.
var errOther = errors.New("the routing differs: `unecho routing apply` puts that of this configuration in force")

// Diff compares the configuration with the routing in force. It is an error if they differ.
func (r *Group) Diff(out io.Writer) error {
	if r.agrees() {
		_, err := fmt.Fprintf(out, "this configuration has the routing in force in journal %s\n", r.journal.Topic)
		return err
	}
	if err := r.tellDifference(out); err != nil {
		return err
	}
	return errOther
}

func (r *Group) agrees() bool { return bytes.Equal(r.text, routing.Plain(r.now.Routes.Text)) }

// Show writes the routing in force.
func (r *Group) Show(out io.Writer, asJSON bool) error {
	if asJSON {
		return terminal.WriteJSON(out, struct {
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

func (r *Group) tellDifference(out io.Writer) error {
	var b strings.Builder
	for _, line := range routing.Diff(r.text, r.now.Routes.Text) {
		b.WriteString(line + "\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// Apply puts the routing of the configuration in force, or only says what would change.
func (r *Group) Apply(ctx context.Context, out io.Writer, dryRun bool) error {
	switch {
	case r.agrees():
		_, err := fmt.Fprintf(out, "nothing to change: this configuration has the routing in force in journal %s\n",
			r.journal.Topic)
		return err
	case !index.Same(r.config.Settings(), r.now.Settings):
		return fmt.Errorf("the settings differ from those that journal %s was begun with, which no routing changes:\n    %s\n  use the settings of the members",
			r.journal.Topic, strings.Join(index.Diff(r.config.Settings(), r.now.Settings), "\n    "))
	}
	if err := r.tellDifference(out); err != nil || dryRun {
		return err
	}
	duty, err := routing.DutyOf(r.now.Routes.Text)
	if err != nil {
		return err
	}
	now, err := r.journal.Apply(ctx, r.config.Journal, r.now, routing.WithDuty(r.text, &duty))
	if errors.Is(err, routing.ErrOvertaken) {
		return fmt.Errorf("%w: nothing of this one counts. See `unecho routing diff`, and apply it again", err)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "in force as routing %d: members that work by another one end now; start them with this "+
		"configuration\n", now.Routes.Number)
	return err
}
