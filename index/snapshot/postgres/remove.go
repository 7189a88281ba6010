package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/unecho/unecho/index/snapshot"
)

// Remove implements snapshot.Opener.
func (p Params) Remove(ctx context.Context, index string) (found bool, err error) {
	s, err := p.open(ctx, index, migrated)
	if errors.Is(err, snapshot.ErrNoStore) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = s.exclusively(ctx, func(tx pgx.Tx) error {
		for _, sql := range []string{
			`delete from manifest where index_name = $1`,
			`delete from segment where index_name = $1`,
		} {
			gone, err := tx.Exec(ctx, sql, s.index)
			if err != nil {
				return err
			}
			found = found || gone.RowsAffected() > 0
		}
		return nil
	})
	return found && err == nil, errors.Join(s.wrap(err, "remove snapshots of index %s", index), s.Close())
}
