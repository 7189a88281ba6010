package consumer

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/localdir"
	"github.com/unecho/unecho/sink"
)

func TestMain(m *testing.M) {
	zerolog.TimeFieldFormat = time.RFC3339Nano
	if err := flag.Set("test.parallel", "4"); err != nil { // tests wait more than they work
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// world is a cluster with a source topic, and the settings that all members of a test share.
type world struct {
	t        *testing.T
	cluster  *kfake.Cluster
	dir      string
	setup    Setup
	stored   localdir.Params // where members keep their snapshots
	sent     map[int32]int64 // records produced per partition
	total    int
	producer *kgo.Client
	ctx      context.Context
	end      context.CancelCauseFunc // ends the test when a member ends unasked
	expels   *sync.WaitGroup         // what speaks to the cluster until the test ends
}

func newWorld(t *testing.T, partitions int32, opts ...kfake.Opt) *world {
	t.Helper()
	opts = append([]kfake.Opt{
		kfake.NumBrokers(1), kfake.GroupMinSessionTimeout(100 * time.Millisecond),
		kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0"}),
	}, opts...)
	cluster, err := kfake.NewCluster(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	if err := cluster.CreateTopic("news", partitions, map[string]string{"max.message.bytes": "16777216"}); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancelCause(context.Background())
	w := &world{ctx: ctx, end: end, t: t, cluster: cluster, dir: t.TempDir(), sent: map[int32]int64{}, expels: new(sync.WaitGroup)}
	t.Cleanup(func() {
		end(nil)
		w.expels.Wait() // a closed cluster answers nobody
	})
	logger := zerolog.New(zerolog.ConsoleWriter{Out: os.Stderr, NoColor: true, TimeFormat: "05.000"}).With().Timestamp().Logger()
	if os.Getenv("UNECHO_TEST_LOG") == "" {
		logger = zerolog.Nop()
	}
	params := index.DefaultParams()
	w.setup = Setup{
		Kafka: []kgo.Opt{
			kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.MetadataMinAge(20 * time.Millisecond),
			kgo.DisableClientMetrics(), // each client would compress its metrics for the broker, in buffers of 4 MiB
			kgo.RetryBackoffFn(func(int) time.Duration { return 20 * time.Millisecond }),
		},
		Params: DefaultParams(), Sources: sourcesOf("news"), Index: params,
		Journal: journal.DefaultParams(), Sink: sink.DefaultParams(), Snapshot: snapshot.DefaultParams(),
		Settings: []byte(`{"test":1}`), Logger: logger, ProducerTime: true,
	}
	w.setup.Params.Group, w.setup.Params.SessionTimeout = "unecho", time.Second
	w.setup.Params.TransactionTimeout = 3 * time.Second
	w.stored, w.setup.Snapshot.Every = localdir.Params{Path: w.dir}, time.Second
	return w
}

// sourcesOf is one source that names topics.
func sourcesOf(topics ...string) []document.Source {
	s := document.DefaultSource()
	s.Topics = topics
	return []document.Source{s}
}

// patient gives members so much time that the group expels none of them on a busy machine: for tests that count the
// sessions that are built anew.
func (w *world) patient() {
	w.setup.Params.SessionTimeout, w.setup.Params.TransactionTimeout = 30*time.Second, time.Minute
}

func (w *world) context() context.Context {
	ctx, cancel := context.WithTimeout(w.ctx, 2*time.Minute)
	w.t.Cleanup(cancel)
	return ctx
}

func (w *world) client(opts ...kgo.Opt) *kgo.Client {
	w.t.Helper()
	client, err := kgo.NewClient(append(append([]kgo.Opt{}, w.setup.Kafka...), opts...)...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(client.Close)
	return client
}

func (w *world) produce(n int, seed uint64) {
	w.t.Helper()
	w.send(w.documents(n, seed)...)
}

// documents makes n documents, of which about a third are copies of another, exact or edited.
func (*world) documents(n int, seed uint64) []*kgo.Record {
	r := rand.New(rand.NewPCG(seed, 7))
	var records []*kgo.Record
	var texts []string
	for range n {
		text := words(r, 25)
		if len(texts) > 0 && r.IntN(3) == 0 {
			text = texts[r.IntN(len(texts))]
			if r.IntN(2) == 0 {
				text += fmt.Sprint(" edited", r.IntN(1000))
			}
		}
		texts = append(texts, text)
		records = append(records, &kgo.Record{
			Key: fmt.Appendf(nil, "k%d", r.IntN(1000)), Value: []byte(text),
			Headers: []kgo.RecordHeader{{Key: "h", Value: []byte("v")}, {Key: "unecho-verdict", Value: []byte("unique")}},
		})
	}
	return records
}

func (w *world) send(records ...*kgo.Record) {
	w.t.Helper()
	if w.producer == nil {
		w.producer = w.client(kgo.DefaultProduceTopic("news"), kgo.ProducerBatchMaxBytes(8<<20))
	}
	for i, res := range w.producer.ProduceSync(w.context(), records...) {
		if res.Err != nil {
			w.t.Fatalf("produce %d: %v", i, res.Err)
		}
		w.sent[res.Record.Partition] = max(w.sent[res.Record.Partition], res.Record.Offset+1)
	}
	w.total += len(records)
}

func words(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "w%x ", r.IntN(1<<20))
	}
	return b.String()
}

type running struct {
	*Service
	world   *world
	network *network
	ctx     context.Context // done when the member was told to end
	cancel  context.CancelFunc
	cut     context.CancelFunc // ends the drain
	done    chan error         // receives what it ended with, once
	ended   chan struct{}
	err     error
}

// start runs a member that must not end by itself. change may alter its setup.
func (w *world) start(change ...func(*Setup)) *running {
	w.t.Helper()
	m := w.launch(change...)
	go func() {
		<-m.ended
		if m.ctx.Err() == nil {
			w.end(fmt.Errorf("a member ended: %w", m.err))
		}
	}()
	return m
}

func (w *world) launch(change ...func(*Setup)) *running {
	w.t.Helper()
	setup, network := w.setup, newNetwork()
	setup.Sources = slices.Clone(setup.Sources)
	setup.Kafka = append(slices.Clone(setup.Kafka), kgo.Dialer(network.dial))
	for _, f := range change {
		f(&setup)
	}
	if setup.Store == nil {
		w.in(w.stored.Path)(&setup)
	}
	if setup.Leases == nil {
		setup.Leases, _ = setup.Store.(snapshot.Leaser)
	}
	service, err := New(setup)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	inner, finished := context.WithCancel(ctx)
	hard, cut := retry.Outlast(inner, drainTime(setup.Params.DrainTimeout))
	m := &running{
		Service: service, world: w, network: network, ctx: ctx, cancel: cancel, cut: cut, done: make(chan error, 1),
		ended: make(chan struct{}),
	}
	go func() {
		m.err = service.run(hard, inner, finished)
		finished()
		cut()
		m.done <- m.err
		close(m.ended)
	}()
	w.t.Cleanup(func() {
		cancel()
		<-m.ended
		network.sever()
		_ = setup.Store.Close()
	})
	return m
}

func (w *world) store() snapshot.Store {
	w.t.Helper()
	setup := w.setup
	w.in(w.stored.Path)(&setup)
	return setup.Store
}

// in has a member keep its snapshots in this directory.
func (w *world) in(directory string) func(*Setup) {
	return func(s *Setup) {
		w.t.Helper()
		store, err := localdir.Params{Path: directory}.Open(w.context(), s.Params.Group)
		if err != nil {
			w.t.Fatal(err)
		}
		s.Store = store
	}
}

// stop drains the member and returns what it ended with.
func (m *running) stop() error {
	m.cancel()
	return m.wait()
}

func (m *running) wait() error {
	<-m.ended
	return m.err
}

// kill ends the member as SIGKILL does, as far as brokers can notice.
func (m *running) kill() {
	m.network.sever()
	m.cancel()
	m.cut()
	<-m.ended
	m.world.expels.Go(m.expel)
}

// expel removes a dead member from the group when its session timeout is over, as Kafka does. The cluster of the tests
// forgets to if the member died while its request to join waited: it counts the time from the answer.
func (m *running) expel() {
	w := m.world
	client, err := kgo.NewClient(w.setup.Kafka...)
	if err != nil {
		w.end(err)
		return
	}
	defer client.Close()
	for retry.Pause(w.ctx, m.setup.Params.SessionTimeout+100*time.Millisecond) == nil {
		group := w.cluster.GroupInfo(m.setup.Params.Group)
		if group == nil {
			continue
		}
		for _, of := range group.Members {
			if m.network.spoke(of.ClientHost) {
				req := kmsg.NewPtrLeaveGroupRequest()
				req.Group = group.Group
				req.Members = []kmsg.LeaveGroupRequestMember{{MemberID: of.MemberID, InstanceID: of.InstanceID}}
				_, _ = req.RequestWith(w.ctx, client) // if it is refused, the next round tries again
			}
		}
	}
}

// settled waits until the group has committed everything that was sent.
func (w *world) settled() {
	w.t.Helper()
	w.committedBy(w.setup.Params.Group)
}

// committedBy waits until a group has committed all that was sent.
func (w *world) committedBy(group string) {
	w.t.Helper()
	w.reaches(group, map[string]map[int32]int64{"news": w.sent})
}

// reaches waits until a group has committed partitions of topics up to these ends.
func (w *world) reaches(group string, ends map[string]map[int32]int64) {
	w.t.Helper()
	info, err := w.cluster.WaitGroupInfo(w.context(), group, func(g *kfake.GroupInfo) bool {
		for topic, of := range ends {
			for p, end := range of {
				if g == nil || g.Commits[topic][p].Offset < end {
					return false
				}
			}
		}
		return true
	})
	if err != nil {
		w.t.Fatalf("not everything is committed: %v (%v), sent %v, group %+v", err, context.Cause(w.ctx), ends, info)
	}
}

// begins writes records in a transaction of somebody else, and returns what ends that.
func (w *world) begins(id string, records ...*kgo.Record) (end func(kgo.TransactionEndTry)) {
	w.t.Helper()
	client := w.client(kgo.TransactionalID(id), kgo.TransactionTimeout(time.Minute), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchMaxBytes(8<<20))
	err := client.BeginTransaction()
	if err == nil {
		err = client.ProduceSync(w.context(), records...).FirstErr()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return func(how kgo.TransactionEndTry) {
		if err := client.EndTransaction(w.context(), how); err != nil {
			w.t.Fatal(err)
		}
	}
}

// follower returns the follower of the member's replica, when it exists.
func (m *running) follower() *member.Follower {
	for {
		f := m.replica.Load()
		if f != nil || retry.Pause(m.ctx, 5*time.Millisecond) != nil {
			return f
		}
	}
}
