package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/unecho/unecho/index/snapshot"
)

// Publish implements snapshot.Store.
func (s *Store) Publish(ctx context.Context, m snapshot.Manifest) error {
	err := m.Check(s.index)
	if err == nil {
		err = s.exclusively(ctx, func(tx pgx.Tx) error { return s.publish(ctx, tx, &m) })
	}
	return s.wrap(err, "publish snapshot at %v", m.Position)
}

func (s *Store) publish(ctx context.Context, tx pgx.Tx, m *snapshot.Manifest) error {
	missing, err := s.notWhole(ctx, tx, m.Segments)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return &snapshot.MissingSegmentsError{Names: missing}
	}
	newest := snapshot.Position{JournalTopic: m.Position.JournalTopic}
	err = tx.QueryRow(ctx, `
		select next_offset, leader_epoch from manifest where index_name = $1 and journal_topic = $2
		order by next_offset desc, leader_epoch desc limit 1`,
		s.index, m.Position.JournalTopic).Scan(&newest.Offset, &newest.LeaderEpoch)
	switch {
	case err != nil && !errors.Is(err, pgx.ErrNoRows):
		return err
	case err == nil && newest.Newer(m.Position):
		return fmt.Errorf("%w: %v", snapshot.ErrStale, newest)
	}
	body := m.Encode()
	head, _ := snapshot.DecodeHead(body)
	_, err = tx.Exec(ctx, `
		insert into manifest (index_name, journal_topic, leader_epoch, next_offset, taken_ms, published, documents, segment_bytes, segments, body)
		values ($1, $2, $3, $4, $5, clock_timestamp(), $6, $7, $8, $9)
		on conflict (index_name, journal_topic, next_offset, leader_epoch) do update set
			taken_ms = excluded.taken_ms, published = excluded.published, documents = excluded.documents,
			segment_bytes = excluded.segment_bytes, segments = excluded.segments, body = excluded.body`,
		s.index, m.Position.JournalTopic, m.Position.LeaderEpoch, m.Position.Offset, m.Taken, head.Documents, head.Bytes,
		m.Names(), body)
	if err != nil {
		return err
	}
	stored, err := s.body(ctx, tx, m.Position)
	if err == nil && !bytes.Equal(stored, body) {
		err = &snapshot.CorruptError{Name: s.manifestName(m.Position), Offset: -1, Err: errReadBack}
	}
	return err
}

var errReadBack = errors.New("read back before it was published, it is not what was written")

// body reads a sealed manifest.
func (s *Store) body(ctx context.Context, q querier, at snapshot.Position) (body []byte, err error) {
	err = q.QueryRow(ctx, `
		select body from manifest where index_name = $1 and journal_topic = $2 and next_offset = $3 and leader_epoch = $4`,
		s.index, at.JournalTopic, at.Offset, at.LeaderEpoch).Scan(&body)
	if errors.Is(err, pgx.ErrNoRows) {
		err = snapshot.ErrNoManifest
	}
	return body, err
}

func (s *Store) manifestName(at snapshot.Position) string {
	return fmt.Sprintf("manifest at %v in schema %s", at, s.target.schema)
}

// notWhole returns the names of the segments that are not stored with their length.
func (s *Store) notWhole(ctx context.Context, tx pgx.Tx, segments []snapshot.Segment) ([]string, error) {
	names, sizes := make([]string, len(segments)), make([]int64, len(segments))
	for i, segment := range segments {
		names[i], sizes[i] = segment.Name, segment.Bytes+snapshot.Overhead
	}
	rows, err := tx.Query(ctx, `
		select wanted.name from unnest($2::text[], $3::bigint[]) with ordinality as wanted (name, size, place)
		where not exists (
			select from segment s where s.index_name = $1 and s.name = wanted.name and octet_length(s.bytes) = wanted.size)
		order by place`, s.index, names, sizes)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// Manifests implements snapshot.Store.
func (s *Store) Manifests(ctx context.Context) ([]snapshot.Info, error) {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	infos, err := s.infos(ctx, s.pool)
	return infos, s.wrap(err, "list snapshots")
}

func (s *Store) infos(ctx context.Context, q querier) ([]snapshot.Info, error) {
	rows, err := q.Query(ctx, `
		select journal_topic, leader_epoch, next_offset, taken_ms, published, documents, segment_bytes
		from manifest where index_name = $1`, s.index)
	if err != nil {
		return nil, err
	}
	infos, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (i snapshot.Info, err error) {
		var published time.Time
		err = row.Scan(&i.Position.JournalTopic, &i.Position.LeaderEpoch, &i.Position.Offset, &i.Taken, &published,
			&i.Documents, &i.Bytes)
		i.Published = published.UnixMilli()
		return i, err
	})
	snapshot.SortInfos(infos)
	return infos, err
}

// Manifest implements snapshot.Store.
func (s *Store) Manifest(ctx context.Context, at snapshot.Position) (snapshot.Manifest, error) {
	m, err := s.manifest(ctx, at)
	return m, s.wrap(err, "read snapshot at %v", at)
}

func (s *Store) manifest(ctx context.Context, at snapshot.Position) (snapshot.Manifest, error) {
	ctx, cancel := context.WithTimeout(ctx, dataBound)
	defer cancel()
	body, err := s.body(ctx, s.pool, at)
	if err != nil {
		return snapshot.Manifest{}, err
	}
	return snapshot.ReadManifest(body, at, s.index, s.manifestName(at))
}
