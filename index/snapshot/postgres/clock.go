package postgres

import (
	"context"
	"time"
)

// Server implements snapshot.Server.
func (s *Store) Server(ctx context.Context) (name string, now time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	err = s.pool.QueryRow(ctx, `select 'PostgreSQL ' || current_setting('server_version'), clock_timestamp()`).Scan(&name, &now)
	return name, now, s.wrap(err, "ask server")
}
