package consumer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// widening is a world whose members notice added partitions at once.
func widening(t *testing.T, partitions int32) *world {
	t.Helper()
	w := newWorld(t, partitions)
	w.setup.Kafka = append(w.setup.Kafka, kgo.MetadataMaxAge(300*time.Millisecond))
	return w
}

// widen makes a topic n partitions wide.
func (w *world) widen(topic string, n int) {
	w.t.Helper()
	made, err := kadm.NewClient(w.client()).UpdatePartitions(w.context(), n, topic)
	if err == nil {
		err = made.Error()
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// sendToAll sends a document to each of n partitions of the source.
func (w *world) sendToAll(n int) {
	w.t.Helper()
	for p := range int32(n) {
		w.sendTo(p, fmt.Sprintf("document %d of partition %d, which nobody has read before today", w.total, p))
	}
}

func (w *world) hasWidth(n int, topics ...string) {
	w.t.Helper()
	for _, topic := range topics {
		if got := len(w.cluster.PartitionInfos(topic)); got != n {
			w.t.Errorf("%s has %d partitions, want %d", topic, got, n)
		}
	}
}

// Three members have nothing to do when partitions are added. Each widens the outputs, and is told that somebody else
// was first. Then partitions are added while nobody is there.
func TestPartitionsAddedToThree(t *testing.T) {
	t.Parallel()
	w := widening(t, 2)
	w.setup.Sink.Verdicts.Topic = "{source}.verdicts"
	w.sendToAll(2)
	members := []*running{w.start(named("m")), w.start(named("n")), w.start(named("o"))}
	for _, m := range members {
		w.becomes("it is ready", m.Ready)
		m.network.lose(kmsg.CreatePartitions, loss{count: 8, err: kerr.InvalidPartitions})
	}
	w.settled()
	w.widen("news", 6)
	w.sendToAll(6)
	w.settled()
	w.hasWidth(6, "news.unique", "news.duplicate", "news.rejected", "news.verdicts")
	for _, m := range members {
		w.ended(m)
	}
	w.left()
	w.widen("news", 8)
	w.sendToAll(8)
	w.again()
	w.audited()
}

// Kafka refuses for a moment to widen an output, or does it and says that it did not: members try again.
func TestPartitionsThatCannotBeAddedYet(t *testing.T) {
	t.Parallel()
	for _, err := range []*kerr.Error{
		kerr.UnknownServerError, kerr.RequestTimedOut, kerr.NotController, kerr.UnknownTopicOrPartition,
	} {
		t.Run(err.Message, func(t *testing.T) {
			t.Parallel()
			w := widening(t, 2)
			w.sendToAll(2)
			m := w.start(named("m"))
			w.settled()
			h := w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.CreatePartitions}, Topic: "news.unique", Err: err, Count: 2})
			w.widen("news", 4)
			w.sendToAll(4)
			w.settled()
			if h.Hits() == 0 {
				t.Errorf("%s was never answered", err.Message)
			}
			w.hasWidth(4, "news.unique", "news.duplicate", "news.rejected")
			w.stopped(m)
			w.audited()
		})
	}
}

// The outputs are too narrow, and unecho may not widen them: the process ends with the commands, after a while, and
// goes on when a person has run them.
func TestPartitionsThatMayNotBeAdded(t *testing.T) {
	t.Parallel()
	w := widening(t, 2)
	w.sendToAll(2)
	w.again()
	m := w.launch(named("m"), func(s *Setup) { s.Sink.Create.Enabled, s.waited = false, 15*time.Second })
	w.becomes("it is ready", m.Ready)
	w.widen("news", 4)
	err := m.wait()
	for _, part := range []string{
		"the outputs of news are not ready", "topic news.unique is not what it must be", "--alter --topic news.rejected --partitions 4",
		"outputs.create.enabled",
	} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %v", part, err)
		}
	}
	w.sendToAll(4)
	for _, output := range []string{"news.unique", "news.duplicate", "news.rejected"} {
		w.widen(output, 4)
	}
	w.again(func(s *Setup) { s.Sink.Create.Enabled = false })
	w.audited()
}

// An output is deleted while members work, or made again with too few partitions. It is made as at the start, and named.
func TestOutputsDeletedAtWork(t *testing.T) {
	t.Parallel()
	for _, output := range []string{"news.unique", "news.verdicts"} {
		for _, narrow := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, made again: %v", output, narrow), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, 4)
				said := w.logged()
				w.setup.Sink.Verdicts.Topic = "{source}.verdicts"
				w.sendToAll(4)
				m, n := w.start(named("m")), w.start(named("n"))
				w.settled()
				w.deletes(output)
				if narrow {
					w.create(output, 1, nil)
				}
				w.sendToAll(4)
				w.settled()
				w.hasWidth(4, output)
				w.outputs(output, 4)
				if !narrow && !said.has("write "+output+"/") {
					t.Errorf("nobody named %s", output)
				}
				w.ended(m)
				w.ended(n)
			})
		}
	}
}

// An output is deleted while members work, and unecho may not make it again. The process ends and says which it is.
func TestOutputDeletedForGood(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.sendToAll(2)
	w.again()
	m := w.launch(named("m"), func(s *Setup) { s.Sink.Create.Enabled, s.waited = false, 15*time.Second })
	w.becomes("it is ready", m.Ready)
	w.deletes("news.unique")
	w.sendToAll(2)
	if err := m.wait(); err == nil || !strings.Contains(err.Error(), "cannot find the output news.unique") {
		t.Errorf("it ended with %v", err)
	}
}

// A topic that a pattern brings gets more partitions, while members work and while nobody is there.
func TestPartitionsAddedToATopicOfAPattern(t *testing.T) {
	t.Parallel()
	w := patterned(t, `news\..+`, "news.a")
	w.setup.Kafka = append(w.setup.Kafka, kgo.MetadataMaxAge(300*time.Millisecond))
	w.send("news.a", news("a", 6)...)
	m := w.start(named("m"))
	w.settled()
	w.widen("news.a", 4)
	w.sendLast("news.a", 3, "at work")
	w.settled()
	w.stopped(m)
	w.widen("news.a", 6)
	w.sendLast("news.a", 5, "while nobody is there")
	m = w.start(named("m"))
	w.settled()
	w.stopped(m)
	w.audited()
}

// A topic that a pattern brings gets more partitions, and its outputs may not be widened. It is given up and named, the
// others are read on, and it is read again when its outputs are ready.
func TestPartitionsOfAPatternThatMayNotBeAdded(t *testing.T) {
	t.Parallel()
	w := patterned(t, `news\..+`, "news.a", "news.b")
	w.setup.Kafka = append(w.setup.Kafka, kgo.MetadataMaxAge(300*time.Millisecond))
	w.send("news.a", news("a", 6)...)
	w.send("news.b", news("b", 6)...)
	m := w.start(named("m"))
	w.settled()
	w.stopped(m)
	m = w.start(named("m"), func(s *Setup) { s.Sink.Create.Enabled, s.waited = false, 15*time.Second })
	w.becomes("it is ready", m.Ready)
	w.widen("news.a", 4)
	w.becomes("it waits", func() bool { return len(m.Stats().Untaken) == 1 })
	if waits := m.Stats().Untaken[0]; waits.Topic != "news.a" || !strings.Contains(waits.Why, "must have at least 4, as news.a has") {
		t.Errorf("this waits: %+v", waits)
	}
	w.send("news.b", news("more of b", 6)...)
	w.settled()
	w.sendLast("news.a", 3, "it waits for its output")
	for _, output := range []string{"news.a.unique", "news.a.duplicate", "news.a.rejected"} {
		w.widen(output, 4)
	}
	w.settled()
	w.stopped(m)
	w.audited()
}

func (w *topics) sendLast(topic string, partition int32, text string) {
	w.t.Helper()
	cl := w.client(kgo.RecordPartitioner(kgo.ManualPartitioner()))
	r, err := cl.ProduceSync(w.context(), &kgo.Record{Topic: topic, Partition: partition, Value: []byte(text)}).First()
	if err != nil {
		w.t.Fatal(err)
	}
	w.ends[topic][partition] = r.Offset + 1
	w.sent++
}
