package watch

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	partitions = 2
	patience   = 3 * time.Minute // for what takes seconds, on a machine that has other work
)

// scene is a Kafka in this process, with a source topic news and a group news-filter.
type scene struct {
	t      *testing.T
	kafka  *kfake.Cluster
	client *kgo.Client
	dir    string
	random *rand.Rand
	common string   // what each document that is produced begins with
	env    []string // of the members, beside that of the test
}

func newScene(t *testing.T) *scene {
	t.Helper()
	kafka, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.GroupMinSessionTimeout(100*time.Millisecond),
		kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0"}))
	check(t, err)
	t.Cleanup(kafka.Close)
	check(t, kafka.CreateTopic("news", partitions, nil))
	client, err := kgo.NewClient(kgo.SeedBrokers(kafka.ListenAddrs()...), kgo.DefaultProduceTopic("news"),
		kgo.RecordPartitioner(kgo.RoundRobinPartitioner()))
	check(t, err)
	t.Cleanup(client.Close)
	return &scene{t: t, kafka: kafka, client: client, dir: t.TempDir(), random: rand.New(rand.NewPCG(1, 2))}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// produce sends n documents that are like no other.
func (s *scene) produce(n int) {
	s.t.Helper()
	var records []*kgo.Record
	for range n {
		words := []string{s.common}
		for range 20 {
			words = append(words, fmt.Sprintf("w%x", s.random.Uint32()))
		}
		records = append(records, kgo.StringRecord(strings.Join(words, " ")))
	}
	check(s.t, s.client.ProduceSync(s.t.Context(), records...).FirstErr())
}

// copies produces one document several times.
func (s *scene) copies(n int) {
	s.t.Helper()
	records := make([]*kgo.Record, n)
	for i := range records {
		records[i] = kgo.StringRecord("this is said again and again, and it is the same each time that it is said")
	}
	check(s.t, s.client.ProduceSync(s.t.Context(), records...).FirstErr())
}

// member is a process of the group.
type member struct {
	t       *testing.T
	name    string
	job     string // of Prometheus
	address string
	client  *http.Client
	scheme  string
	process *exec.Cmd
	log     *locked
	ended   chan struct{}
}

// start starts a member with a name, and settings as for --set.
func (s *scene) start(name string, settings ...string) *member {
	s.t.Helper()
	return s.startProgram(program, name, settings...)
}

func (s *scene) startProgram(binary, name string, settings ...string) *member {
	s.t.Helper()
	m := &member{
		t: s.t, name: name, job: "unecho", address: freeAddress(s.t), client: http.DefaultClient, scheme: "http", log: &locked{},
		ended: make(chan struct{}),
	}
	if slices.ContainsFunc(settings, func(s string) bool { return strings.HasPrefix(s, "http.tls.") }) {
		m.scheme, m.client = "https", &http.Client{Transport: &http.Transport{
			DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // as a scrape that checks nothing
		}}
	}
	settings = append([]string{
		"kafka.brokers=" + s.kafka.ListenAddrs()[0], "sources.topics=news", "group=news-filter", "advanced.member=" + name,
		"advanced.session_timeout=1s", "snapshots.directory.path=" + s.store(),
		"snapshots.every=1s",
		"http.listen=" + m.address, "log.format=json",
	}, settings...)
	args := []string{"run"}
	for _, setting := range settings {
		if strings.HasPrefix(setting, "--") { // a flag
			args = append(args, setting)
			continue
		}
		args = append(args, "--set", setting)
	}
	m.process = exec.CommandContext(context.WithoutCancel(s.t.Context()), binary, args...)
	m.process.Env = append(os.Environ(), s.env...)
	m.process.Dir, m.process.Stderr, m.process.Stdout = s.dir, m.log, m.log
	check(s.t, m.process.Start())
	go func() {
		_ = m.process.Wait() // the log says how it ended
		close(m.ended)
	}()
	s.t.Cleanup(func() {
		_ = m.process.Process.Kill()
		<-m.ended
		if s.t.Failed() {
			s.t.Logf("member %s:\n%s", m.name, m.log)
		}
	})
	return m
}

func (s *scene) store() string { return filepath.Join(s.dir, "snapshots") }

// stop ends a member as a supervisor does.
func (m *member) stop() {
	m.t.Helper()
	check(m.t, m.process.Process.Signal(syscall.SIGTERM))
	select {
	case <-m.ended:
	case <-time.After(patience):
		m.t.Fatal("the member does not stop")
	}
}

// scrape returns what /metrics says; ok is false when nobody answers.
func (m *member) scrape() (text []byte, ok bool) {
	return m.get("/metrics")
}

func (m *member) get(path string) (text []byte, ok bool) {
	req, err := http.NewRequestWithContext(m.t.Context(), http.MethodGet, m.scheme+"://"+m.address+path, http.NoBody)
	check(m.t, err)
	resp, err := m.client.Do(req)
	if err != nil {
		return nil, false
	}
	defer resp.Body.Close()
	text, err = io.ReadAll(resp.Body)
	return text, err == nil && resp.StatusCode == http.StatusOK
}

// settled waits until the member is ready and all that was produced is committed.
func (s *scene) settled(m *member) {
	s.t.Helper()
	s.until("the group has committed all", func() bool {
		_, ready := m.get("/ready")
		return ready && s.behind() == 0
	})
}

// behind is how many documents the group has not committed.
func (s *scene) behind() (n int64) {
	group := s.kafka.GroupInfo("news-filter")
	for p := range int32(partitions) {
		info := s.kafka.PartitionInfo("news", p)
		n += info.LastStableOffset - info.LogStartOffset
		if group == nil {
			continue
		}
		if c, ok := group.Commits["news"][p]; ok {
			n -= c.Offset - info.LogStartOffset
		}
	}
	return n
}

// until waits for a condition that only asking again can find.
func (s *scene) until(what string, is func() bool) {
	s.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	end := time.NewTimer(patience)
	defer end.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-end.C:
			s.t.Fatalf("waited in vain until %s", what)
		}
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	check(t, err)
	defer l.Close()
	return l.Addr().String()
}

// locked is what a process writes.
type locked struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

const token = "a token for the tests"

// post sends a document over HTTP, and waits for its verdict.
func (m *member) post(text string) {
	m.t.Helper()
	req, err := http.NewRequestWithContext(m.t.Context(), http.MethodPost,
		"http://"+m.address+"/api/v1/documents?wait=verdict&timeout=15s", strings.NewReader(text))
	check(m.t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "text/plain")
	resp, err := http.DefaultClient.Do(req)
	check(m.t, err)
	defer resp.Body.Close()
	if said, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		m.t.Fatalf("a document is answered with %s, %s, error %v; want 200", resp.Status, said, err)
	}
}
