package backfills

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/topic"
)

// Remove deletes what a backfill keeps, and tells what that was. Progress goes to log.
func Remove(ctx context.Context, c config.Config, options topic.Options, name string, out, log io.Writer) error {
	stored := false
	done, err := backfill.Remove(ctx, options, name, func(ctx context.Context) (err error) {
		stored, err = c.Snapshot.Opener().Remove(ctx, backfill.GroupOf(name))
		return err
	}, func(topics []string) {
		fmt.Fprintf(log, "unecho: waiting until no broker knows %s any more\n", strings.Join(topics, ", "))
	})
	if err != nil {
		return err
	}
	gone := done.Topics
	if done.Group {
		gone = append(gone, "group "+backfill.GroupOf(name))
	}
	if stored {
		gone = append(gone, "its snapshots")
	}
	if len(gone) == 0 {
		return fmt.Errorf("there is no backfill %s; `unecho backfill list` shows those there are", name)
	}
	_, err = fmt.Fprintf(out, "removed backfill %s: %s\n", name, strings.Join(gone, ", "))
	return err
}
