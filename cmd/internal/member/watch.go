package member

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

// topCopies is how many copies are asked for: as many as a tall terminal shows.
const topCopies = 50

// Look asks the member once.
func (t *Top) Look(ctx context.Context, c *Client) error {
	s, err := c.Status(ctx)
	if err != nil {
		return err
	}
	last, err := c.Recent(ctx, Filter{Last: topCopies})
	if err != nil {
		return err
	}
	t.Answer(s, last.Copies)
	return nil
}

// Watch draws until a person has seen enough. A member that does not answer is asked again; one that says no is not.
func (t *Top) Watch(ctx context.Context, c *Client, screen *os.File, in io.Reader) error {
	stage, ctx, err := terminal.NewStage(ctx, screen, in)
	if err != nil {
		return exit.Undone(err)
	}
	defer stage.Close()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		err := t.Look(ctx, c)
		var refused *Error
		if errors.As(err, &refused) && refused.Status < 429 {
			return exit.Undone(err)
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			t.Lost(err)
		}
		if err := stage.Draw(t.Frame); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}
