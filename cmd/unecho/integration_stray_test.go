package main

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A mistaken producer, another group, one bad bit, transactions that end with a marker, and a changed type of
// timestamp: members go on, restore and replay over all of it, and each document comes out once.
func TestStrayRecordsInTheJournal(t *testing.T) {
	t.Parallel()
	const partitions = 2
	s := newScene(t, partitions)
	s.configure(s.inDirectory(), s.consumer("sessions: 1"), noOps)
	journal := s.name + ".journal"
	stays := s.run("--set", "advanced.member=stays")
	stays.says(`"ready"`)
	s.produce(500, 1)
	s.settled()
	s.stray(journal)
	stays.says(`"reason":"unframed"`)
	s.produce(500, 2)
	s.settled()

	s.timestamps(journal, "CreateTime")
	s.produce(200, 3)
	s.settled()
	stays.says("journal records carry the producer's time")
	s.timestamps(journal, "LogAppendTime")

	s.transaction(journal, kgo.TryAbort) // a marker is the last record: who starts must reach the journal's end
	restores := s.run("--set", "advanced.member=restores")
	replays := s.run("--set", "advanced.member=replays", "--set", "snapshots.directory.path="+t.TempDir())
	for _, p := range []*process{restores, replays} {
		p.says(`"ready"`)
	}
	s.members(3, partitions)
	s.produce(500, 4)
	s.settled()
	stopAll(t, startBound, stays, restores, replays)
	s.audited(journal)
}

// stray writes to the journal what no member of the group has written.
func (s *scene) stray(journal string) {
	s.t.Helper()
	reader := s.connect(kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{journal: {0: kgo.NewOffset().At(0)}}))
	fetches := reader.PollRecords(s.bounded(), 1)
	check(s.t, fetches.Err())
	settings := fetches.Records()[0]
	flipped, newer := bytes.Clone(settings.Value), bytes.Clone(settings.Value)
	flipped[len(flipped)/2] ^= 1
	newer[4] ^= 64 // the version
	check(s.t, s.client.ProduceSync(s.bounded(),
		&kgo.Record{Topic: journal, Value: []byte(`{"text": "a document that went to the wrong topic"}`)},
		&kgo.Record{Topic: journal, Key: []byte("a key")}, &kgo.Record{Topic: journal},
		&kgo.Record{Topic: journal, Key: settings.Key, Value: flipped},
		&kgo.Record{Topic: journal, Key: settings.Key, Value: newer},
		&kgo.Record{Topic: journal, Key: []byte("another group"), Value: settings.Value},
	).FirstErr())
	s.transaction(journal, kgo.TryCommit)
	s.transaction(journal, kgo.TryAbort)
}

// transaction writes a document to the wrong topic, and the marker of its end.
func (s *scene) transaction(topic string, end kgo.TransactionEndTry) {
	s.t.Helper()
	client := s.connect(kgo.TransactionalID(s.name + "-mistaken"))
	check(s.t, client.BeginTransaction())
	check(s.t, client.ProduceSync(s.bounded(), &kgo.Record{Topic: topic, Value: []byte("a document")}).FirstErr())
	check(s.t, client.EndTransaction(s.bounded(), end))
	client.Close()
}

// timestamps changes whose time the records of a topic carry.
func (s *scene) timestamps(topic, kind string) {
	s.t.Helper()
	s.alter(topic, "message.timestamp.type", kind)
	s.until("the broker stamps so", func(ctx context.Context) bool {
		described, err := s.admin.DescribeTopicConfigs(ctx, topic)
		check(s.t, err)
		configs, err := described.On(topic, nil)
		check(s.t, err)
		return slices.ContainsFunc(configs.Configs,
			func(c kadm.Config) bool { return c.Key == "message.timestamp.type" && c.MaybeValue() == kind })
	})
}
