package groups

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

// Settings are those of a group that decide verdicts. Of them the bounds can be changed.
func Settings(g *Group) Part { return settings{g} }

type settings struct{ *Group }

func (settings) words() words { return words{"settings", "change", "are", "differ", "the bounds"} }

func (s settings) shown() (number uint32, name string, text []byte) {
	if s.now.Settings == nil {
		return 0, "", nil
	}
	values := map[string]json.RawMessage{}
	for _, text := range [][]byte{s.now.Settings, s.now.Bounds.Text} {
		// What the journal holds was read by members. A text that is none shows nothing.
		_ = json.Unmarshal(text, &values)
	}
	return s.now.Bounds.Number, nameOf(s.now.Bounds.Number), setting.Encode(values)
}

// nameOf names bounds by the number of their change.
func nameOf(number uint32) string {
	if number == 0 {
		return "bounds as it was begun with"
	}
	return fmt.Sprintf("bounds of change %d", number)
}

func (s settings) difference() difference {
	own := s.config.Settings()
	return difference{Fixed: index.Diff(own, s.now.Settings), Bounds: index.BoundsDiff(own, s.now.Bounds)}
}

// allows refuses bounds that cannot be in force, and those that were replaced by others unless back is set.
func (s settings) allows(back bool) error {
	begun, err := config.FromSettings(s.now.Settings)
	if err != nil {
		return exit.Undone(fmt.Errorf("journal %s: %w", s.journal.Topic, err))
	}
	text := index.BoundsOf(s.config.Settings())
	mistakes, err := begun.Judge.CheckBounds(s.now.Settings, text)
	if err != nil {
		return err
	}
	var wrong []string
	for _, m := range mistakes {
		wrong = append(wrong, m.String())
	}
	if len(wrong) > 0 {
		return fmt.Errorf("these bounds cannot be put in force:\n    %s", strings.Join(wrong, "\n    "))
	}
	if number, ok := s.now.Replaced(text); ok && !back {
		return fmt.Errorf("these are the %s, which change %d replaced: the file may be older than what is in force\n  see `unecho settings show`; "+
			"to go back to them: the same command with --back", nameOf(number), s.now.Bounds.Number)
	}
	return nil
}

func (s settings) put(ctx context.Context) (now routing.State, told string, err error) {
	now, err = s.journal.ApplyBounds(ctx, s.config.Journal, s.now, index.BoundsOf(s.config.Settings()))
	return now, "change %d: all members use it now; write it into their configurations", err
}

// Routing is what a group reads and where it forwards.
func Routing(g *Group) Part { return routes{g} }

type routes struct{ *Group }

func (routes) words() words { return words{"routing", "number", "is", "differs", "that"} }

func (r routes) shown() (number uint32, name string, text []byte) {
	now := r.now.Routes
	return now.Number, fmt.Sprintf("routing %d", now.Number), now.Text
}

func (r routes) own() []byte { return routing.Text(r.config.Sources, r.config.Sink) }

func (r routes) difference() difference {
	return difference{Bounds: routing.Diff(r.own(), r.now.Routes.Text)}
}

// allows refuses a configuration whose members could not be in the group.
func (r routes) allows(bool) error {
	if own := r.config.Settings(); !index.Same(own, r.now.Settings) {
		return fmt.Errorf("the settings differ from those that journal %s was begun with, which no routing changes:\n    %s\n  use the settings of the members",
			r.journal.Topic, strings.Join(index.Diff(own, r.now.Settings), "\n    "))
	}
	return nil
}

func (r routes) put(ctx context.Context) (now routing.State, told string, err error) {
	now, err = r.journal.Change(ctx, r.config.Journal, r.now, r.own())
	return now, "routing %d: members with another one end now; start them with this configuration", err
}
