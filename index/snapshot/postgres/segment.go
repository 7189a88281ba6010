package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/unecho/unecho/index/snapshot"
)

// PutSegment implements snapshot.Store.
func (s *Store) PutSegment(ctx context.Context, name string, data []byte) error {
	return s.wrap(s.putSegment(ctx, name, data), "put segment %s", name)
}

func (s *Store) putSegment(ctx context.Context, name string, data []byte) error {
	sealed, err := snapshot.SealSegment(name, data)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, dataBound)
	defer cancel()
	_, err = s.pool.Exec(ctx, `
		insert into segment (index_name, name, bytes, put_at) values ($1, $2, $3, clock_timestamp())
		on conflict (index_name, name) do update set bytes = excluded.bytes, put_at = excluded.put_at`,
		s.index, name, sealed)
	return err
}

// HasSegments implements snapshot.Store.
func (s *Store) HasSegments(ctx context.Context, names []string) (missing []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	rows, err := s.pool.Query(ctx, `
		select wanted.name from unnest($2::text[]) with ordinality as wanted (name, place)
		where not exists (select from segment s where s.index_name = $1 and s.name = wanted.name)
		order by place`, s.index, names)
	if err == nil {
		missing, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	return missing, s.wrap(err, "look for segments")
}

// Segment implements snapshot.Store.
func (s *Store) Segment(ctx context.Context, name string) ([]byte, error) {
	data, err := s.segment(ctx, name)
	return data, s.wrap(err, "read segment")
}

func (s *Store) segment(ctx context.Context, name string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, dataBound)
	defer cancel()
	var sealed []byte
	err := s.pool.QueryRow(ctx, `select bytes from segment where index_name = $1 and name = $2`, s.index, name).
		Scan(&sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, &snapshot.MissingSegmentsError{Names: []string{name}}
	}
	if err != nil {
		return nil, err
	}
	data, err := snapshot.Open(snapshot.KindSegment, sealed)
	return data, snapshot.Locate(err, "segment "+name+" in schema "+s.target.schema)
}
