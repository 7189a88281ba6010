package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/retry"
)

// journalCopy is a topic with the records of the journal at the same offsets, with the same times: the journal itself
// is trimmed when there are two snapshots, and the audit must see all of it.
type journalCopy struct {
	scene *scene
	topic string
	store *pgxpool.Pool
}

// gate has a snapshot published only when the copy has what the one before covers: below that the journal is trimmed then.
const gate = `
	create table copied (next bigint not null);
	insert into copied values (0);
	create function await_copy() returns trigger language plpgsql as $$ begin
		while (select next from copied) < (select max(next_offset) from manifest) loop
			perform pg_sleep(0.01);
		end loop;
		return new;
	end $$;
	create trigger await_copy before insert on manifest for each row execute function await_copy();`

// copyJournal begins to copy. It must be called before a process runs, in a scene whose snapshots are in PostgreSQL.
func (s *scene) copyJournal() *journalCopy {
	s.t.Helper()
	c := &journalCopy{s, s.name + ".journal-copy", s.openStore()}
	_, err := c.store.Exec(s.bounded(), gate)
	check(s.t, err)
	s.create(c.topic, 1, nil)
	reader := s.connect(kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{s.name + ".journal": {0: kgo.NewOffset().At(0)}}),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()))
	writer := s.connect(kgo.DefaultProduceTopic(c.topic), kgo.ProducerBatchMaxBytes(4<<20))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	s.t.Cleanup(func() {
		cancel()
		<-ended
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = c.copied(ctx, math.MaxInt64) // so that nobody waits; it is of no use where the server is gone
		c.store.Close()
	})
	go func() {
		defer close(ended)
		if err := c.run(ctx, reader, writer); ctx.Err() == nil {
			s.t.Errorf("copy journal: %v", err)
		}
	}()
	return c
}

// openStore makes the tables of the snapshots, and connects to them.
func (s *scene) openStore() *pgxpool.Pool {
	s.t.Helper()
	c, err := config.Load(s.file, nil, nil)
	check(s.t, err)
	store, err := c.Snapshot.Opener().Open(s.bounded(), c.Consumer.Group)
	check(s.t, err)
	check(s.t, store.Close())
	to, err := pgxpool.ParseConfig(c.Snapshot.Postgres.URL)
	check(s.t, err)
	to.ConnConfig.RuntimeParams["search_path"] = c.Snapshot.Postgres.Schema
	pool, err := pgxpool.NewWithConfig(context.WithoutCancel(s.t.Context()), to)
	check(s.t, err)
	return pool
}

func (c *journalCopy) run(ctx context.Context, reader, writer *kgo.Client) error {
	for next := int64(0); ; {
		fetches := reader.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return err
		}
		var records []*kgo.Record
		for it := fetches.RecordIter(); !it.Done(); {
			r := it.Next()
			records = append(records, &kgo.Record{Value: r.Value, Timestamp: r.Timestamp})
		}
		for _, res := range writer.ProduceSync(ctx, records...) {
			if res.Err != nil || res.Record.Offset != next {
				return fmt.Errorf("record %d is at %d: %w", next, res.Record.Offset, res.Err)
			}
			next++
		}
		if err := c.copied(ctx, next); err != nil {
			return err
		}
	}
}

// copied opens the gate up to an offset. The server may be gone for a while.
func (c *journalCopy) copied(ctx context.Context, next int64) error {
	return retry.While(ctx, 25*time.Millisecond, func() error {
		_, err := c.store.Exec(ctx, "update copied set next = $1", next)
		return err
	}, func(error, time.Duration) bool { return true })
}

// upToDate waits until the copy has all of the journal.
func (c *journalCopy) upToDate() {
	s := c.scene
	s.t.Helper()
	_, end := s.journal(s.bounded())
	s.until("the journal is copied", func(ctx context.Context) bool {
		var next int64
		check(s.t, c.store.QueryRow(ctx, "select next from copied").Scan(&next))
		return next >= end
	})
}

// journal is where the journal begins and ends.
func (s *scene) journal(ctx context.Context) (start, end int64) {
	s.t.Helper()
	starts, err := s.admin.ListStartOffsets(ctx, s.name+".journal")
	check(s.t, err)
	ends, err := s.admin.ListEndOffsets(ctx, s.name+".journal")
	check(s.t, err)
	first, _ := starts.Lookup(s.name+".journal", 0)
	last, _ := ends.Lookup(s.name+".journal", 0)
	return first.Offset, last.Offset
}
