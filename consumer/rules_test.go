package consumer

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/index/setting"
)

// These tests follow rule 4 of the protocol: what a session does where the committed offsets and the journal do not agree.

// commit sets the offset of one partition while nobody is in the group. With metadata "" it looks as if a person did.
func (w *world) commit(partition int32, at int64, metadata string) {
	w.t.Helper()
	if _, err := w.cluster.WaitGroupInfo(w.context(), w.setup.Params.Group, func(g *kfake.GroupInfo) bool {
		return g == nil || len(g.Members) == 0
	}); err != nil {
		w.t.Fatal(err)
	}
	offsets := kadm.Offsets{}
	offsets.Add(kadm.Offset{Topic: "news", Partition: partition, At: at, LeaderEpoch: -1, Metadata: metadata})
	if err := kadm.NewClient(w.client()).CommitAllOffsets(w.context(), w.setup.Params.Group, offsets); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) metadataOf(partition int32) (epoch uint32, start int64) {
	w.t.Helper()
	m := w.cluster.GroupInfo(w.setup.Params.Group).Commits["news"][partition].Metadata
	epoch, start, ok := parseMetadata(m)
	if !ok {
		w.t.Fatalf("partition %d is committed with %q", partition, m)
	}
	return epoch, start
}

// out counts what came out of the three topics, read committed.
func (w *world) out() (n int) {
	r := w.audit()
	return r.Unique + r.Duplicate + r.Rejected
}

// ran runs one member until everything is committed, and stops it.
func (w *world) ran(change ...func(*Setup)) {
	w.t.Helper()
	m := w.start(change...)
	w.settled()
	if err := m.stop(); err != nil {
		w.t.Fatal(err)
	}
}

func TestEveryCommitNamesItsEpoch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.produce(200, 1)
	w.ran()
	for p := range int32(2) {
		if epoch, start := w.metadataOf(p); epoch != 1 || start != 0 {
			t.Errorf("partition %d is committed in epoch %d from %d", p, epoch, start)
		}
	}
}

func TestOffsetSetBackIsReadAgainInANewEpoch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.produce(300, 1)
	w.ran()
	before := w.audited()
	w.commit(0, 100, "")
	w.ran()
	if epoch, start := w.metadataOf(0); epoch != 2 || start != 100 {
		t.Errorf("committed in epoch %d from %d", epoch, start)
	}
	// What is read again is judged anew: nothing is a copy of itself, so the same number of unique documents comes out of it.
	after := w.audit()
	if !after.OK() || after.Unique+after.Duplicate != 500 {
		t.Fatalf("before %s, after %s", before.String(), after.String())
	}
	if again := after.Unique - before.Unique; again < 100 {
		t.Errorf("of 200 documents read again only %d are unique: they were judged against themselves", again)
	}
}

func TestOffsetSetForwardSkips(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.produce(100, 1)
	w.ran()
	w.produce(100, 2)
	w.commit(0, 150, "")
	w.ran()
	if n := w.out(); n != 150 {
		t.Errorf("%d documents came out, not the 100 before and the 50 behind", n)
	}
}

func TestRepositionLostBetweenCommitAndAppendIsAppendedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.produce(100, 1)
	w.ran()
	w.commit(0, 40, metadata(2, 40)) // killed right after this commit
	w.ran()
	if epoch, start := w.metadataOf(0); epoch != 2 || start != 40 {
		t.Errorf("committed in epoch %d from %d", epoch, start)
	}
	if n := w.out(); n != 160 {
		t.Errorf("%d documents came out, not 100 and the 60 again", n)
	}
}

func TestKilledBetweenCommitAndReposition(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.produce(100, 1)
	var journalID [16]byte
	// The journal takes the settings and then nothing, until the first member is dead.
	m := w.launch()
	w.ready(m)
	journalID = w.cluster.TopicInfo("unecho.journal").TopicID
	blocked := w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, TopicID: journalID, Count: -1})
	if _, err := w.cluster.WaitGroupInfo(w.context(), "unecho", func(g *kfake.GroupInfo) bool {
		return g != nil && g.Commits["news"][0].Metadata != ""
	}); err != nil {
		t.Fatal(err)
	}
	m.kill()
	blocked.Remove()
	w.ran()
	w.audited()
}

// ready waits until a member takes part.
func (w *world) ready(m *member) {
	w.t.Helper()
	if _, err := w.cluster.WaitGroupInfo(w.context(), w.setup.Params.Group, func(*kfake.GroupInfo) bool {
		return m.Ready()
	}); err != nil {
		w.t.Fatalf("not ready: %v", err)
	}
}

func TestDeletedOffsetsGoOnFromTheBase(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.produce(200, 1)
	w.ran() // leaving announces the base, so nothing comes out again
	set := kadm.TopicsSet{}
	set.Add("news", 0)
	if _, err := kadm.NewClient(w.client()).DeleteOffsets(w.context(), w.setup.Params.Group, set); err != nil {
		t.Fatal(err)
	}
	w.produce(100, 2)
	w.ran()
	w.audited()
}

// stops says that a member ends by itself, with a message that names what a person needs.
func (w *world) stops(m *member, wants ...string) {
	w.t.Helper()
	select {
	case <-m.ended:
	case <-w.context().Done():
		w.t.Fatal("the member goes on")
	}
	var stop *StopError
	if err := m.wait(); !errors.As(err, &stop) {
		w.t.Fatalf("ended with %v", err)
	}
	for _, want := range wants {
		if !strings.Contains(stop.Error(), want) {
			w.t.Errorf("%q does not name %q", stop.Error(), want)
		}
	}
}

func TestLostOffsetsAreRefusedUntilAccepted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.produce(200, 1)
	w.ran()
	w.commit(0, 50, metadata(1, 0)) // an older commit of ours: the group's offsets went back by themselves
	w.stops(w.launch(), "50", "200", "source.accept_lost_offsets")
	w.produce(50, 2)
	w.ran(func(s *Setup) { s.Source.AcceptLostOffsets = true })
	w.audited()
}

func TestOffsetBeyondTheEndIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.produce(50, 1)
	w.ran()
	w.commit(0, 5000, metadata(1, 0))
	w.stops(w.launch(), "5000", "ends at 50", "--to-offset 50")
}

func TestLatestSkipsTheBacklogOfEveryPartition(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 8)
	w.produce(800, 1)
	w.setup.Kafka = append(w.setup.Kafka, kgo.MetadataMaxAge(500*time.Millisecond)) // so that added partitions are found
	latest := func(s *Setup) { s.Source.Start = "latest" }
	m := w.start(latest)
	w.settled()
	if n := w.out(); n != 0 {
		t.Errorf("%d documents of the backlog came out", n)
	}
	// A partition that is added later is read from its beginning all the same.
	if _, err := kadm.NewClient(w.client()).UpdatePartitions(w.context(), 9, "news"); err != nil {
		t.Fatal(err)
	}
	w.sendTo(8, 10)
	w.settled()
	if err := m.stop(); err != nil {
		t.Fatal(err)
	}
	if n := w.out(); n != 10 {
		t.Errorf("%d of 10 documents of the added partition came out", n)
	}
}

func TestTwoProcessesOfOneName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	first := w.launch(named("same"))
	w.ready(first)
	w.produce(200, 1)
	w.settled()
	second := w.start(named("same"))
	w.ready(second)
	w.produce(500, 2)
	w.stops(first, "another process", "consumer.member")
	w.settled()
	if err := second.stop(); err != nil {
		t.Fatal(err)
	}
	w.audited()
}

func TestOtherSettingsAreRefusedWithTheDifference(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.produce(20, 1)
	w.setup.Settings = setting.Canonical("1", map[string]any{"": w.setup.Index})
	w.ran()
	other := w.setup.Index
	other.Similarity.Threshold = 0.9
	w.stops(w.launch(func(s *Setup) {
		s.Index, s.Settings = other, setting.Canonical("1", map[string]any{"": other})
	}), "similarity.threshold", "0.8", "0.9", "journal.topic")
	w.audited()
}

func TestNewJournalGoesOnWhereTheGroupWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.produce(100, 1)
	w.ran()
	w.commit(0, 60, "") // so that the epoch is 2, which a new journal does not reach
	w.ran()
	w.produce(100, 2)
	w.ran(func(s *Setup) { s.Journal.Topic, s.Source.AcceptJournalGap = "other.journal", true })
	if n := len(w.outputs("news.unique", 1)) + len(w.outputs("news.duplicate", 1)); n == 0 {
		t.Error("nothing came out")
	}
	if epoch, start := w.metadataOf(0); epoch != 1 || start != 100 {
		t.Errorf("committed in epoch %d from %d", epoch, start)
	}
}

// sendTo produces n documents to one partition.
func (w *world) sendTo(partition int32, n int) {
	w.t.Helper()
	cl := w.client(kgo.DefaultProduceTopic("news"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	records := w.documents(n, 99)
	for _, r := range records {
		r.Partition = partition
	}
	for _, res := range cl.ProduceSync(w.context(), records...) {
		if res.Err != nil {
			w.t.Fatal(res.Err)
		}
	}
	w.sent[partition] += int64(n)
	w.total += n
}
