package doctor

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/certificate"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/localdir"
	"github.com/unecho/unecho/sink"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const settingsText = `{"test":"settings"}`

// ward is a cluster with a service that is well, judging by topics, offsets and snapshots. Nobody is at work.
type ward struct {
	t       *testing.T
	cluster *kfake.Cluster
	client  *kgo.Client
	admin   *kadm.Client
	in      Inputs
	stored  localdir.Params
	replica *index.Replica
	source  [16]byte
	journal [16]byte
}

func newWard(t *testing.T, opts ...kfake.Opt) *ward {
	t.Helper()
	cluster, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(3)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	w := &ward{t: t, cluster: cluster, in: Inputs{
		Options: []kgo.Opt{kgo.SeedBrokers(cluster.ListenAddrs()...)}, Brokers: []string{"kafka:9092"},
		Params: consumer.DefaultParams(), Journal: journal.DefaultParams(),
		Sink: sink.DefaultParams(), Sources: []document.Source{document.DefaultSource()},
		Snapshot: snapshot.DefaultParams(), Index: index.DefaultParams(), Settings: []byte(settingsText),
	}}
	w.in.Params.Group = "unecho"
	w.in.Sources[0].Topics, w.in.Journal.Topic, w.in.Snapshot.For = []string{"news"}, "unecho.journal", snapshot.ByAll
	w.stored.Path, w.in.Index.Duplicates.Remember.Directory = t.TempDir(), t.TempDir()
	w.in.Certificates = []Certificate{{
		Of: "http.listen", Why: "probes, Prometheus and people who check it do not connect", Files: "http.tls.cert_file and key_file",
		Life: valid(-99*time.Hour, 99*time.Hour),
	}}
	w.in.Snapshots = func(ctx context.Context) (snapshot.Store, error) {
		return w.stored.OpenExisting(ctx, "main")
	}
	return w
}

// valid is the life of a certificate that begins and ends so long from now.
func valid(begins, ends time.Duration) func() (certificate.Life, error) {
	now := time.Now()
	return func() (certificate.Life, error) {
		return certificate.Life{Begins: now.Add(begins), Ends: now.Add(ends)}, nil
	}
}

func (w *ward) must(errs ...error) {
	w.t.Helper()
	if err := errors.Join(errs...); err != nil {
		w.t.Fatal(err)
	}
}

func (w *ward) connect(opts ...kgo.Opt) *kgo.Client {
	w.t.Helper()
	client, err := kgo.NewClient(append(append([]kgo.Opt{}, w.in.Options...),
		append(opts, kgo.RecordPartitioner(kgo.ManualPartitioner()))...)...)
	w.must(err)
	w.t.Cleanup(client.Close)
	return client
}

// well makes topics, a journal with a document, a snapshot and committed offsets.
func (w *ward) well() {
	w.t.Helper()
	w.client = w.connect()
	w.admin = kadm.NewClient(w.client)
	ctx := w.t.Context()
	_, err := w.admin.CreateTopics(ctx, 2, 3, insync(), "news", "news.unique", "news.duplicate", "news.rejected")
	_, err2 := w.admin.CreateTopic(ctx, 1, 3, map[string]*string{
		"cleanup.policy": text("delete"), "retention.ms": text("-1"), "retention.bytes": text("-1"),
		"message.timestamp.type":         text("LogAppendTime"),
		"unclean.leader.election.enable": text("false"), "max.message.bytes": text("2000000"),
		"min.insync.replicas": text("2"),
	}, "unecho.journal")
	topics, err3 := w.admin.ListTopics(ctx, "news", "unecho.journal")
	w.must(err, err2, err3)
	w.source, w.journal = topics["news"].ID, topics["unecho.journal"].ID
	w.replica, err = index.NewReplica(w.in.Index, index.Fingerprint(w.in.Settings))
	w.must(err)
	w.append(&index.Settings{Text: w.in.Settings, Wall: time.Now().UnixMilli()})
	w.append(&index.Reposition{Header: w.header(), Source: w.partition(0), Name: "news", Epoch: 1})
	w.produce(&kgo.Record{Topic: "news", Value: []byte("a")}, &kgo.Record{Topic: "news", Value: []byte("b")},
		&kgo.Record{Topic: "news", Value: []byte("c")})
	w.append(&index.Run{Header: w.header(), Source: w.partition(0), Epoch: 1, Base: 2})
	w.snapshot()
	w.commit(0, 2, protocol.Metadata(1, 0))
}

func insync() map[string]*string { return map[string]*string{"min.insync.replicas": text("2")} }

func text(s string) *string { return &s }

func (w *ward) header() index.Header {
	return index.Header{Fingerprint: index.Fingerprint(w.in.Settings), Wall: time.Now().UnixMilli()}
}

func (w *ward) partition(n int32) entry.Source { return entry.Source{Topic: w.source, Partition: n} }

func (w *ward) produce(records ...*kgo.Record) {
	w.t.Helper()
	w.must(w.client.ProduceSync(w.t.Context(), records...).FirstErr())
}

func (w *ward) append(rec index.Record) {
	w.t.Helper()
	r := &kgo.Record{Topic: "unecho.journal", Value: journal.Append(nil, rec)}
	w.produce(r)
	w.replica.Apply(index.Stamp{Offset: r.Offset, LogAppendTime: r.Timestamp.UnixMilli()}, rec)
}

func (w *ward) snapshot() {
	w.t.Helper()
	store, err := w.stored.Open(w.t.Context(), "main")
	w.must(err)
	c := w.replica.Capture()
	m := snapshot.Manifest{
		Index: "main", Taken: time.Now().UnixMilli(), Position: snapshot.Position{JournalTopic: w.journal, Offset: c.Next},
	}
	_, err = snapshot.NewWriter(store, w.in.Index, index.Fingerprint(w.in.Settings)).Write(w.t.Context(), &c, m)
	w.must(err, store.Close())
}

func (w *ward) commit(partition int32, at int64, metadata string) {
	w.t.Helper()
	offsets := kadm.Offsets{}
	offsets.Add(kadm.Offset{Topic: "news", Partition: partition, At: at, LeaderEpoch: -1, Metadata: metadata})
	w.must(w.admin.CommitAllOffsets(w.t.Context(), w.in.Params.Group, offsets))
}

func (w *ward) alter(topic, key, value string) {
	w.t.Helper()
	_, err := w.admin.AlterTopicConfigs(w.t.Context(), []kadm.AlterConfig{{Op: kadm.SetConfig, Name: key, Value: &value}}, topic)
	w.must(err)
}

func (w *ward) trim(topic string, partition int32, below int64) {
	w.t.Helper()
	offsets := kadm.Offsets{}
	offsets.AddOffset(topic, partition, below, -1)
	deleted, err := w.admin.DeleteRecords(w.t.Context(), offsets)
	w.must(err, deleted.Error())
}

func (w *ward) widen(topic string, partitions int) {
	w.t.Helper()
	_, err := w.admin.UpdatePartitions(w.t.Context(), partitions, topic)
	w.must(err)
}

func (w *ward) remove(topic string) {
	w.t.Helper()
	_, err := w.admin.DeleteTopic(w.t.Context(), topic)
	w.must(err)
}

// later sets the doctor's clock forward.
func (w *ward) later(by time.Duration) { w.in.now = func() time.Time { return time.Now().Add(by) } }

func (w *ward) run() Report {
	w.t.Helper()
	report, err := Run(w.t.Context(), w.in)
	w.must(err)
	return report
}

// lines writes a report as lines for a test's messages.
func lines(r Report) string {
	var b strings.Builder
	for _, f := range r.Findings {
		b.WriteString(string(f.Level) + " " + f.Check + ": " + f.What + " | " + f.Why + " | " + f.Remedy + "\n")
	}
	return b.String()
}
