package snapshots

import (
	"context"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/localdir"
	"github.com/unecho/unecho/index/snapshot/postgres"
)

// MustExist says that a missing store is not created, because a verb that only looks creates nothing.
type MustExist bool

// Open opens the configured store. Both kinds say by themselves what they opened.
func Open(ctx context.Context, c config.Config, must MustExist) (snapshot.Store, error) {
	name := c.Judge.Index.Name
	switch {
	case c.Snapshot.Store == snapshot.Postgres && bool(must):
		return opened(postgres.OpenExisting(ctx, c.Snapshot, name))
	case c.Snapshot.Store == snapshot.Postgres:
		return opened(postgres.Open(ctx, c.Snapshot, name))
	case bool(must):
		return opened(localdir.OpenExisting(ctx, c.Snapshot, name))
	}
	return opened(localdir.Open(ctx, c.Snapshot, name))
}

// opened returns a nil Store for a nil *Store, not an interface that holds nil.
func opened[S snapshot.Store](store S, err error) (snapshot.Store, error) {
	if err != nil {
		return nil, err
	}
	return store, nil
}

// Remove deletes everything that the configured store has of its index. It returns false if that was nothing.
func Remove(ctx context.Context, c config.Config) (bool, error) {
	if c.Snapshot.Store == snapshot.Postgres {
		return postgres.Remove(ctx, c.Snapshot, c.Judge.Index.Name)
	}
	return localdir.Remove(ctx, c.Snapshot, c.Judge.Index.Name)
}
