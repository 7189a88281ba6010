package snapshots

import (
	"context"
	"fmt"

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
	switch c.Snapshot.Store {
	case snapshot.Postgres:
		if must {
			return opened(postgres.OpenExisting(ctx, c.Snapshot, name))
		}
		return opened(postgres.Open(ctx, c.Snapshot, name))
	case snapshot.Directory:
		if must {
			return opened(localdir.OpenExisting(ctx, c.Snapshot, name))
		}
		return opened(localdir.Open(ctx, c.Snapshot, name))
	}
	return nil, unknown(c)
}

func unknown(c config.Config) error {
	return fmt.Errorf("this is a bug of unecho: nothing opens snapshot.store %q", c.Snapshot.Store)
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
	switch c.Snapshot.Store {
	case snapshot.Postgres:
		return postgres.Remove(ctx, c.Snapshot, c.Judge.Index.Name)
	case snapshot.Directory:
		return localdir.Remove(ctx, c.Snapshot, c.Judge.Index.Name)
	}
	return false, unknown(c)
}
