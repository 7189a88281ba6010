package main

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// When a backfill has ended, a reader of committed records that reads the outputs to their ends of that moment sees
// all. As long as a transaction is open there, it has not ended.
func TestBackfillEndsWhenItsOutputsCanBeRead(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	s.configure(s.inDirectory(), noOps)
	s.history(300, 2)
	job := s.name + "-job"
	outputs := []string{job + ".unique", job + ".duplicate", job + ".rejected"}
	forever := "-1"
	for _, topic := range outputs {
		s.create(topic, 2, map[string]*string{"retention.ms": &forever})
	}
	other := s.connect(kgo.TransactionalID(s.name+"-other"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	check(t, other.BeginTransaction())
	check(t, other.ProduceSync(s.bounded(), &kgo.Record{Topic: outputs[0], Value: []byte("of somebody else")}).FirstErr())
	p := s.replays("--name", job, "--unique", outputs[0], "--duplicate", outputs[1], "--rejected", outputs[2], "--json")
	p.says("a transaction is open in the outputs")
	if p.endedUnasked() {
		t.Fatalf("it has ended: %s", p.log)
	}
	check(t, other.EndTransaction(s.bounded(), kgo.TryCommit))
	p.endsWell()
	ends, err := s.admin.ListEndOffsets(s.bounded(), outputs...)
	check(t, err)
	committed, err := s.admin.ListCommittedOffsets(s.bounded(), outputs...)
	check(t, err)
	ends.Each(func(end kadm.ListedOffset) {
		if at, _ := committed.Lookup(end.Topic, end.Partition); at.Offset != end.Offset {
			t.Errorf("%s/%d ends at %d, and can be read to %d", end.Topic, end.Partition, end.Offset, at.Offset)
		}
	})
}
