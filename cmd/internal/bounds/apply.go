package bounds

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/index"
)

// How says how bounds are applied.
type How struct {
	DryRun bool // only say what would change
	Back   bool // to bounds that were replaced by others
	JSON   bool
}

// applied is what Apply did, for programs.
type applied struct {
	Journal string   `json:"journal"`
	Change  uint32   `json:"change"`  // whose bounds are in force now
	Applied bool     `json:"applied"` // this call has changed them
	Bounds  []string `json:"bounds"`  // the differences before
}

// Apply puts the bounds of the configuration in force, or only says what would change.
func (g *Group) Apply(ctx context.Context, out io.Writer, how How) error {
	d := g.difference()
	if len(d.Fixed) > 0 {
		return fixedError(g.journal.Topic, d.Fixed)
	}
	done := applied{Journal: g.journal.Topic, Change: g.now.Bounds.Number, Bounds: d.Bounds}
	if len(d.Bounds) == 0 {
		return say(out, how, done, fmt.Sprintf(
			"nothing to change: this configuration has the settings in force in journal %s\n", g.journal.Topic))
	}
	text := index.BoundsOf(g.text)
	if err := g.allows(text, how.Back); err != nil {
		return err
	}
	told := strings.Join(d.Bounds, "\n") + "\n"
	if how.DryRun {
		return say(out, how, done, told)
	}
	now, err := g.journal.ApplyBounds(ctx, g.config.Journal, g.now, text)
	if errors.Is(err, routing.ErrBoundsOvertaken) {
		return fmt.Errorf("%w: nothing of this one counts. See `unecho settings diff`, and apply it again", err)
	}
	if err != nil {
		return exit.Undone(err)
	}
	done.Applied, done.Change = true, now.Bounds.Number
	return say(out, how, done, told+fmt.Sprintf(
		"in force as change %d: all members work on by it; write it into their configurations\n", now.Bounds.Number))
}

func say(out io.Writer, how How, done applied, told string) error {
	if how.JSON {
		return terminal.WriteJSON(out, done)
	}
	_, err := io.WriteString(out, told)
	return err
}

// allows refuses bounds that cannot be in force, and those that were replaced by others unless back is set.
func (g *Group) allows(text []byte, back bool) error {
	begun, err := config.FromSettings(g.now.Settings)
	if err != nil {
		return exit.Undone(fmt.Errorf("journal %s: %w", g.journal.Topic, err))
	}
	p, err := begun.Judge.With(text)
	if err != nil {
		return err
	}
	var wrong []string
	for _, m := range p.CheckChange() {
		wrong = append(wrong, m.String())
	}
	if len(wrong) > 0 {
		return fmt.Errorf("these bounds cannot be put in force:\n    %s", strings.Join(wrong, "\n    "))
	}
	if number, ok := g.now.Replaced(text); ok && !back {
		return fmt.Errorf("these are the %s, which change %d replaced: the file may be older than what is in force\n  see `unecho settings show`; "+
			"to go back to them: the same command with --back", nameOf(number), g.now.Bounds.Number)
	}
	return nil
}
