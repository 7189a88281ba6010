package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/unecho/unecho/index/snapshot"
)

// Collect implements snapshot.Store. A damaged manifest counts as one of those kept; the names stored beside its body
// still protect its segments. PostgreSQL can use the freed space again after its autovacuum.
func (s *Store) Collect(ctx context.Context, keep int) (snapshot.Collected, error) {
	var done snapshot.Collected
	if err := s.exclusively(ctx, func(tx pgx.Tx) error { return s.collect(ctx, tx, keep, &done) }); err != nil {
		return snapshot.Collected{}, s.wrap(err, "collect snapshots")
	}
	return done, nil
}

func (s *Store) collect(ctx context.Context, tx pgx.Tx, keep int, done *snapshot.Collected) error {
	var now time.Time
	if err := tx.QueryRow(ctx, `select clock_timestamp()`).Scan(&now); err != nil {
		return err
	}
	infos, err := s.infos(ctx, tx)
	if err != nil {
		return err
	}
	expired, err := snapshot.Expired(infos, keep, now.UnixMilli())
	if err != nil {
		return err
	}
	for _, p := range expired {
		_, err := tx.Exec(ctx, `
			delete from manifest where index_name = $1 and journal_topic = $2 and next_offset = $3 and leader_epoch = $4`,
			s.index, p.JournalTopic, p.Offset, p.LeaderEpoch)
		if err != nil {
			return err
		}
		done.Manifests++
	}
	return tx.QueryRow(ctx, `
		with gone as (
			delete from segment s
			where s.index_name = $1 and s.put_at < $2
			and not exists (select from manifest m where m.index_name = $1 and s.name = any (m.segments))
			returning octet_length(s.bytes) as size)
		select count(*), coalesce(sum(size), 0)::bigint from gone`,
		s.index, now.Add(-snapshot.Grace)).Scan(&done.Segments, &done.Bytes)
}
