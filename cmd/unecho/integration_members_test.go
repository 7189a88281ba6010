package main

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Three processes share the work; one is killed midway and comes back. Every document comes out once, as the naive twin
// decides when it replays the journal.
func TestThreeProcessesOneKilled(t *testing.T) {
	t.Parallel()
	const documents, partitions = 20_000, 8
	s := newScene(t, partitions)
	s.configure(s.inPostgres(), s.consumer(""), noOps)
	all := []*process{s.run()}
	all[0].says(`"ready"`)
	journal := s.copyJournal()
	all = append(all, s.run(), s.run())
	for _, p := range all[1:] {
		p.says(`"ready"`)
	}
	s.members(6, partitions)
	s.produce(documents/4, 1)
	s.settled()
	s.until("there is a snapshot", func(ctx context.Context) bool { return s.snapshots(ctx) > 0 })
	s.produce(documents/2, 2)

	at := s.reaches(documents / 2)
	all[1].kill()
	s.produce(documents/4, 5)
	if at >= documents*9/10 {
		t.Fatalf("%d documents were committed when the process was killed: that is not midway", at)
	}
	s.reaches(at + 500)
	all[1] = s.run()
	s.settled()
	if !all[1].restored() {
		t.Error("the process that came back restored no snapshot")
	}
	stopAll(t, 30*time.Second, all...)
	journal.upToDate()
	s.audited(journal.topic)
}

// journalCopy is a topic with the records of the journal at the same offsets, with the same times: the journal itself
// is trimmed when there are two snapshots, and the audit must see all of it.
type journalCopy struct {
	scene *scene
	topic string
	next  chan int64
	ended chan struct{}
}

// copyJournal begins to copy. It must be called before anything is trimmed: as soon as there is a journal.
func (s *scene) copyJournal() *journalCopy {
	s.t.Helper()
	c := &journalCopy{scene: s, topic: s.name + ".journal-copy", next: make(chan int64, 1), ended: make(chan struct{})}
	s.create(c.topic, 1, nil)
	c.next <- 0
	reader := s.connect(kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{s.name +
		".journal": {0: kgo.NewOffset().At(0)}}),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()))
	writer := s.connect(kgo.DefaultProduceTopic(c.topic), kgo.ProducerBatchMaxBytes(4<<20))
	ctx, cancel := context.WithCancel(context.Background())
	s.t.Cleanup(func() {
		cancel()
		<-c.ended
	})
	go func() {
		defer close(c.ended)
		if err := c.run(ctx, reader, writer); ctx.Err() == nil {
			s.t.Errorf("copy journal: %v", err)
		}
	}()
	return c
}

func (c *journalCopy) run(ctx context.Context, reader, writer *kgo.Client) error {
	for {
		fetches := reader.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return err
		}
		var records []*kgo.Record
		for it := fetches.RecordIter(); !it.Done(); {
			r := it.Next()
			records = append(records, &kgo.Record{Value: r.Value, Timestamp: r.Timestamp})
		}
		next := <-c.next
		for _, res := range writer.ProduceSync(ctx, records...) {
			if res.Err != nil || res.Record.Offset != next {
				c.next <- next
				return fmt.Errorf("record %d is at %d: %w", next, res.Record.Offset, res.Err)
			}
			next++
		}
		c.next <- next
	}
}

// upToDate waits until the copy has all of the journal.
func (c *journalCopy) upToDate() {
	s := c.scene
	s.t.Helper()
	s.until("the journal is copied", func(ctx context.Context) bool {
		ends, err := s.admin.ListEndOffsets(ctx, s.name+".journal")
		check(s.t, err)
		end, _ := ends.Lookup(s.name+".journal", 0)
		next := <-c.next
		c.next <- next
		return next >= end.Offset
	})
}

// One process of two is killed again and again, and once its place stays empty. How long documents wait is logged, and
// bounded only by the tests' patience: the machine is shared.
func TestKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	const partitions = 6
	s := newScene(t, partitions)
	s.configure(s.inPostgres(), s.consumer(""), noOps)
	named := func(name string) *process { return s.run("--set", "consumer.member="+name) }
	victim := named("victim")
	victim.says(`"ready"`)
	journal := s.copyJournal()
	stays := named("stays")
	stays.says(`"ready"`)
	s.members(4, partitions)
	s.produce(1000, 3)
	s.settled()
	for round := range 3 {
		by := s.members(4, partitions)
		orphans := append(by["victim-s0"], by["victim-s1"]...)
		s.produce(2000, uint64(10+round))
		s.reaches(int64(s.total()) - 1500)
		s.produce(2000, uint64(20+round)) // so that something is left, however late it is killed
		victim.kill()
		killed := time.Now()
		_, done := s.committed(t.Context())
		left := 0
		for _, p := range orphans {
			left += int(s.sent[p] - done[p])
		}
		if left == 0 {
			t.Errorf("kill %d: the victim had nothing left to do: it leaves nothing behind", round+1)
		}
		what := "another process took over"
		if round < 2 {
			victim, what = named("victim"), "the same slots restarted"
		}
		s.settled()
		t.Logf("kill %d: %d documents were left in %d partitions; %s, and all is committed, after %v", round+1, left,
			len(orphans), what,
			time.Since(killed).Round(10*time.Millisecond))
	}
	stopAll(t, 30*time.Second, stays)
	journal.upToDate()
	s.audited(journal.topic)
}
