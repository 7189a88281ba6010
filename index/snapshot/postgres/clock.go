package postgres

import (
	"context"
	"time"
)

// Server asks the server for its version and its time.
func (s *Store) Server(ctx context.Context) (version string, now time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	err = s.pool.QueryRow(ctx, `select current_setting('server_version'), clock_timestamp()`).Scan(&version, &now)
	return version, now, s.wrap(err, "ask server")
}
