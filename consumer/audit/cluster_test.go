package audit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/naive"
	"github.com/unecho/unecho/sink"
)

var (
	settings  = []byte(`{"test":"settings"}`)
	algorithm = algorithmOf(index.DefaultParams())
)

func algorithmOf(p index.Params) string {
	return fmt.Sprintf("%s:%016x", p.Algorithm(), index.Fingerprint(settings))
}

// scene is a broker with a source of two partitions, a journal and outputs. The test writes their records as members
// would.
type scene struct {
	t       *testing.T
	cluster *kfake.Cluster
	prefix  string // of topics
	client  *kgo.Client
	options []kgo.Opt
	params  index.Params
	signer  *index.Signer
	twin    *naive.Twin
	replica *index.Replica
	batch   *sink.Batch
	sink    sink.Params // that is audited
	// of the journal; tests of other histories use the variable
	settings []byte
	id       [16]byte
	journal  [16]byte
	foreign  bool // snapshots are of another journal

	sources []*kgo.Record // as produced
	outputs []*kgo.Record // to be produced
	tales   []*kgo.Record // to be produced to the topic of verdicts, if there is one
	groups  []*kgo.Record // to be produced to the topic of clusters, if there is one
}

func newScene(t *testing.T) *scene {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	s := sceneOn(t, "", cluster.ListenAddrs()...)
	s.cluster = cluster
	return s
}

// sceneOn makes the topics on running brokers. The topics' names begin with prefix.
func sceneOn(t *testing.T, prefix string, brokers ...string) *scene {
	t.Helper()
	s := &scene{
		t: t, prefix: prefix, options: []kgo.Opt{kgo.SeedBrokers(brokers...)}, params: index.DefaultParams(), sink: sink.DefaultParams(),
		settings: settings,
	}
	var err error
	s.client, err = kgo.NewClient(append(s.options, kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.UnknownTopicRetries(-1))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.client.Close)
	admin := kadm.NewClient(s.client)
	news := prefix + "news"
	_, err = admin.CreateTopics(t.Context(), 2, 1, nil, news, news+".unique", news+".duplicate", news+".rejected",
		news+".verdicts", news+".clusters")
	appended := map[string]*string{"message.timestamp.type": kadm.StringPtr("LogAppendTime")}
	_, err2 := admin.CreateTopic(t.Context(), 1, 1, appended, prefix+"journal")
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	s.id = s.visible(admin, news, news+".unique", news+".duplicate", news+".rejected", news+".verdicts", news+".clusters", prefix+"journal")
	s.journal = s.visible(admin, prefix+"journal")
	s.reset()
	return s
}

// visible waits until the broker that is asked knows the topics that the controller has made, and returns the id of the
// first.
func (s *scene) visible(admin *kadm.Client, names ...string) [16]byte {
	s.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		s.client.ForceMetadataRefresh()
		topics, err := admin.ListTopics(s.t.Context(), names...)
		if err != nil {
			s.t.Fatal(err)
		}
		if topics.Error() == nil && len(topics) == len(names) {
			return topics[names[0]].ID
		}
		select {
		case <-tick.C:
		case <-s.t.Context().Done():
			s.t.Fatal("the topics do not show up")
		}
	}
}

// reset begins anew with the scene's params, before anything is judged.
func (s *scene) reset() {
	s.t.Helper()
	var err, err2 error
	s.signer, err = index.NewSigner(s.params)
	s.replica, err2 = index.NewReplica(s.params, index.Fingerprint(s.settings))
	if err := errors.Join(err, err2); err != nil {
		s.t.Fatal(err)
	}
	s.twin = naive.New(s.params, s.settings, index.Fingerprint(s.settings))
	s.batch = s.newBatch()
}

func (s *scene) newBatch() *sink.Batch {
	return sink.New(s.sink, "main", fmt.Sprintf("%s:%016x", s.params.Algorithm(), index.Fingerprint(s.settings))).
		OfJournal(s.journal).NewBatch()
}

func (s *scene) produce(records ...*kgo.Record) {
	s.t.Helper()
	if err := s.client.ProduceSync(s.t.Context(), records...).FirstErr(); err != nil {
		s.t.Fatal(err)
	}
}

// document puts a document into a partition of the source.
func (s *scene) document(partition int32, text string) *kgo.Record {
	s.t.Helper()
	r := &kgo.Record{
		Topic: s.prefix + "news", Partition: partition, Key: []byte("key of " + text), Value: []byte(text),
		Timestamp: time.UnixMilli(1_700_000_000_000 + int64(len(s.sources))),
		Headers:   []kgo.RecordHeader{{Key: "lang", Value: []byte("en")}, {Key: "Unecho-verdict", Value: []byte("unique")}},
	}
	s.produce(r)
	s.sources = append(s.sources, r)
	return r
}

func (s *scene) source(partition int32) entry.Source {
	return entry.Source{Topic: s.id, Partition: partition}
}

func (s *scene) header() index.Header {
	return index.Header{Fingerprint: index.Fingerprint(s.settings), Wall: time.Now().UnixMilli()}
}

// append appends a record to the journal and returns the verdicts that the twin reaches on it.
func (s *scene) append(rec index.Record) []index.Verdict {
	s.t.Helper()
	r := &kgo.Record{Topic: s.prefix + "journal", Value: journal.Append(nil, rec)}
	s.produce(r)
	at := index.Stamp{Offset: r.Offset, LogAppendTime: r.Timestamp.UnixMilli()}
	s.replica.Apply(at, rec)
	return s.twin.Apply(at, rec)
}

func (s *scene) begin() {
	s.t.Helper()
	s.append(&index.Settings{Text: s.settings, Wall: time.Now().UnixMilli()})
	for p := range int32(2) {
		s.reposition(p, 0, 1)
	}
}

func (s *scene) reposition(partition int32, offset int64, epoch uint32) {
	s.t.Helper()
	s.append(&index.Reposition{
		Header: s.header(), Source: s.source(partition), Name: s.prefix + "news", Offset: offset,
		Epoch: epoch,
	})
}

// judge appends the entry of a source record, in a run of its own.
func (s *scene) judge(r *kgo.Record, epoch uint32) index.Verdict {
	s.t.Helper()
	e := entry.Entry{Offset: r.Offset, Time: r.Timestamp.UnixMilli()}
	for _, h := range r.Headers {
		if h.Key == "id" {
			e.ID = h.Value
		}
	}
	s.signer.Sign(&e, r.Value)
	verdicts := s.append(&index.Run{
		Header: s.header(), Source: s.source(r.Partition), Epoch: epoch,
		Entries: []entry.Entry{e},
	})
	if len(verdicts) != 1 {
		s.t.Fatalf("%d verdicts for offset %d", len(verdicts), r.Offset)
	}
	return verdicts[0]
}

// forward judges a record and makes its output.
func (s *scene) forward(r *kgo.Record, epoch uint32) *kgo.Record {
	s.t.Helper()
	v := s.judge(r, epoch)
	dst, about := s.output(func(dst *kgo.Record) { s.batch.Verdict(dst, r, &v) }), new(kgo.Record)
	if s.sink.Clusters.Topic != "" && s.batch.ClusterRecord(about, r, v.Position) {
		s.groups = append(s.groups, about)
	}
	return dst
}

func (s *scene) reject(r *kgo.Record, reason sink.Reason) *kgo.Record {
	return s.output(func(dst *kgo.Record) { s.batch.Reject(dst, r, reason, "because") })
}

func (s *scene) output(fill func(dst *kgo.Record)) *kgo.Record {
	dst := new(kgo.Record)
	fill(dst)
	s.outputs = append(s.outputs, dst)
	if s.sink.Verdicts.Topic != "" {
		tale := new(kgo.Record)
		s.batch.VerdictRecord(tale, dst)
		s.tales = append(s.tales, tale)
	}
	return dst
}

func (s *scene) inputs() audit.Inputs {
	return audit.Inputs{
		Options: s.options, Sources: []string{s.prefix + "news"}, Journal: s.prefix + "journal",
		Outputs: s.sink.Topics, Verdicts: s.sink.VerdictsTopic, Clusters: s.sink.ClustersTopic,
		Params: s.params, Settings: s.settings, Index: "main",
	}
}

// audit produces the outputs in one transaction and audits.
func (s *scene) audit() audit.Report {
	s.t.Helper()
	s.transaction(kgo.TryCommit, slices.Concat(s.outputs, s.tales, s.groups)...)
	report, err := audit.Run(s.t.Context(), s.inputs())
	if err != nil {
		s.t.Fatal(err)
	}
	return report
}

func (s *scene) transaction(end kgo.TransactionEndTry, records ...*kgo.Record) {
	s.t.Helper()
	client := s.transactional()
	defer client.Close()
	if err := client.BeginTransaction(); err != nil {
		s.t.Fatal(err)
	}
	err := client.ProduceSync(s.t.Context(), records...).FirstErr()
	if err = errors.Join(err, client.EndTransaction(s.t.Context(), end)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) transactional() *kgo.Client {
	s.t.Helper()
	client, err := kgo.NewClient(append(s.options,
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.TransactionalID(fmt.Sprint(s.prefix, "slot-", len(s.outputs))))...)
	if err != nil {
		s.t.Fatal(err)
	}
	return client
}

// story is a small history: two uniques, an identical copy in the other partition, an edited copy, a rejected document.
func story(t *testing.T) *scene {
	t.Helper()
	return newScene(t).tell()
}

func (s *scene) tell() *scene {
	s.t.Helper()
	s.begin()
	long := "the quick brown fox jumps over the lazy dog while seven clever otters row a small green boat across the " +
		"wide river"
	texts := []struct {
		partition int32
		text      string
	}{{0, long}, {0, "nothing like it was ever written here before today"}, {1, long}, {1, long + " today"}, {0, "\xff"}}
	for _, d := range texts {
		s.document(d.partition, d.text)
	}
	for _, r := range s.sources[:4] {
		s.forward(r, 1)
	}
	s.reject(s.sources[4], sink.InvalidEncoding)
	return s
}

// onOffsets calls do when the broker is asked for offsets the nth time from now.
func (s *scene) onOffsets(n int, do func()) {
	s.cluster.ControlKey(int16(kmsg.ListOffsets), func(kmsg.Request) (kmsg.Response, error, bool) {
		s.cluster.KeepControl()
		if n--; n == 0 {
			do()
		}
		return nil, nil, false
	})
}

func (s *scene) untilAskedForOffsets(n int) context.Context {
	ctx, cancel := context.WithCancel(s.t.Context())
	s.t.Cleanup(cancel)
	s.onOffsets(n, cancel)
	return ctx
}

// trim deletes the records below an offset in every partition.
func (s *scene) trim(topic string, offset int64) {
	s.t.Helper()
	admin := kadm.NewClient(s.client)
	ends, err := admin.ListEndOffsets(s.t.Context(), topic)
	if err != nil {
		s.t.Fatal(err)
	}
	below := kadm.Offsets{}
	ends.Each(func(o kadm.ListedOffset) {
		below.Add(kadm.Offset{Topic: topic, Partition: o.Partition, At: min(offset, o.Offset), LeaderEpoch: -1})
	})
	if _, err := admin.DeleteRecords(s.t.Context(), below); err != nil {
		s.t.Fatal(err)
	}
}
