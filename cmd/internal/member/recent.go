package member

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

// Last shows the last copies that a member knows of.
type Last struct {
	Client *Client
	Filter Filter
	Follow bool // also those that come, until the context is done
	JSON   bool
	Out    io.Writer
	Notes  io.Writer
	Zone   *time.Location
}

// Show writes the copies, the newest as the last. If the member could not be asked, its error is marked as undone.
func (l *Last) Show(ctx context.Context) error {
	show := func(found shape.Copy) error { return WriteCopy(l.Out, &found, l.Zone) }
	if l.JSON {
		show = func(found shape.Copy) error { return terminal.WriteJSON(l.Out, found) }
	} else if err := WriteHead(l.Out); err != nil {
		return err
	}
	last, err := l.Client.Recent(ctx, l.Filter)
	if err != nil {
		return exit.Undone(err)
	}
	for _, found := range slices.Backward(last.Copies) {
		if err := show(found); err != nil {
			return err
		}
	}
	if !l.Follow {
		return nil
	}
	return exit.Undone(l.Client.Follow(ctx, l.Filter, last.After, Stream{
		Copy:      show,
		Missed:    func(n uint64) { fmt.Fprintf(l.Notes, "unecho: %d more were too many to show\n", n) },
		Restarted: func() { fmt.Fprintln(l.Notes, "unecho: the member has begun anew") },
		Unread: func(err error) {
			fmt.Fprintf(l.Notes, "unecho: one copy is left out: %v; is the member of another version?\n", err)
		},
		Lost: func(err error) { fmt.Fprintf(l.Notes, "unecho: %v; asking again\n", err) },
	}))
}
