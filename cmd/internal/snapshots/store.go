package snapshots

import (
	"context"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index/snapshot"
)

// Existing returns a function that opens the configured store for a verb that only looks.
func Existing(c config.Config) func(context.Context) (snapshot.Store, error) {
	return func(ctx context.Context) (snapshot.Store, error) {
		return c.Snapshot.Opener().OpenExisting(ctx, c.Consumer.Group)
	}
}
