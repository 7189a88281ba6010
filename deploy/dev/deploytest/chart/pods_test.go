//go:build unix

package chart

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	appsv1 "k8s.io/api/apps/v1"

	"github.com/unecho/unecho/consumer/unpack/unpacktest"
	"github.com/unecho/unecho/deploy/dev/deploytest"
	"github.com/unecho/unecho/deploy/dev/testbed"
)

// Five values install several pods where no disk is shared: image.repository, replicas, config.kafka.brokers,
// config.sources and config.snapshots.s3.bucket. A store that is not AWS takes its address and credentials besides, and the
// group has a name because others share this Kafka.
const podValues = `
image: {repository: registry.example.com/unecho}
replicas: 3
config:
  kafka: {brokers: ['%s']}
  sources: [{topics: [%s]}]
  snapshots: {s3: {bucket: %s, endpoint: 'http://%s'}}
  group: %[3]s
env: [{name: AWS_ACCESS_KEY_ID, value: '%[5]s'}, {name: AWS_SECRET_ACCESS_KEY, value: '%s'}]
`

const (
	partitions = 4
	rate       = 300             // documents a second
	patience   = 3 * time.Minute // for what takes seconds, on a machine that has other work
	// slowly bounds how long a start and a snapshot take on such a machine.
	slowly = 30 * time.Second
	// leased is how long a lease in a bucket lasts that a killed process held.
	leased = 33 * time.Second
)

// TestPods runs the pods of the chart as processes, as their commands, environment and files say, on a real Kafka and a real
// store that speaks S3. They are killed one after the other, and all at once, and start again without any file of before.
// Each document comes out once, with the right verdict. The journal begins right before the second newest snapshot.
func TestPods(t *testing.T) {
	t.Parallel()
	tryPods(t, time.Second, 1)
}

// TestPodsLong goes on until the journal is trimmed many times, and holds how old its records become.
func TestPodsLong(t *testing.T) {
	t.Parallel()
	tryPods(t, 10*time.Second, 5)
}

func tryPods(t *testing.T, every time.Duration, trims int) {
	t.Helper()
	k := newCluster(t, every)
	all := k.start(0, 1, 2)
	t.Logf("%d pods are ready after %.1f s", len(all), k.ready(all...).Seconds())
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var beside sync.WaitGroup
	beside.Go(func() { k.feed(ctx) })
	beside.Go(func() { k.watch(ctx) })
	k.trimmed()
	for i := range all {
		all[i].kill()
		all[i] = k.start(i)[0]
		t.Logf("killed, pod %d is ready after %.1f s", i, k.ready(all[i]).Seconds())
	}
	for _, p := range all {
		p.kill()
	}
	all = k.start(0, 1, 2)
	t.Logf("killed at once, all are ready after %.1f s", k.ready(all...).Seconds())
	for range trims {
		k.trimmed()
	}
	stop()
	beside.Wait()
	k.settled()
	k.kept()
	for _, p := range all {
		p.stop()
	}
	k.came()
	k.audited()
}

// cluster is what pods need.
type cluster struct {
	t       *testing.T
	program string
	dir     string // the configuration
	group   string
	every   time.Duration
	set     appsv1.StatefulSet
	client  *kgo.Client
	admin   *kadm.Client

	sent   int // by feed, until that has ended
	ends   []sample
	oldest time.Duration // of a record that the journal held
	most   int64         // records that it held
}

// sample is where the journal ended at a time.
type sample struct {
	at  time.Time
	end int64
}

func newCluster(t *testing.T, every time.Duration) *cluster {
	t.Helper()
	brokers, store := os.Getenv("UNECHO_TEST_KAFKA"), os.Getenv("UNECHO_TEST_S3")
	if brokers == "" || store == "" {
		t.Skip("needs Kafka and a server of S3: run make test-deploy")
	}
	k := &cluster{t: t, dir: t.TempDir(), every: every, group: fmt.Sprintf("pods-%x", rand.Uint32())}
	k.program = filepath.Join(k.dir, "unecho")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", k.program, "./cmd/unecho")
	build.Dir, build.Env = deploytest.Root(t), append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build ./cmd/unecho: %v\n%s", err, out)
	}
	s3, err := url.Parse(store)
	check(t, err)
	check(t, os.Mkdir(filepath.Join(s3.Path, k.group), 0o750)) // the bucket
	password, _ := s3.User.Password()
	out, err := render(t, fmt.Sprintf(podValues, brokers, k.source(), k.group, s3.Host, s3.User.Username(), password))
	check(t, err)
	set, file := decode(t, out)
	k.set = set
	check(t, os.WriteFile(filepath.Join(k.dir, "unecho.yaml"), []byte(file), 0o600))
	k.client, err = kgo.NewClient(kgo.SeedBrokers(brokers), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	check(t, err)
	t.Cleanup(k.client.Close)
	k.admin = kadm.NewClient(k.client)
	_, err = k.admin.CreateTopic(t.Context(), partitions, 1, nil, k.source())
	check(t, err)
	return k
}

func (k *cluster) source() string { return k.group + "-news" }

// command is what a pod's container runs, with an address of its own, because pods have one each. It runs in an empty
// directory, with the environment of the pod and nothing else, and sees its configuration and no other file.
func (k *cluster) command(name string, args ...string) *exec.Cmd {
	k.t.Helper()
	pod := k.set.Spec.Template.Spec
	c := pod.Containers[0]
	if len(pod.Volumes) != 1 || pod.Volumes[0].ConfigMap == nil || len(k.set.Spec.VolumeClaimTemplates) > 0 ||
		c.SecurityContext.ReadOnlyRootFilesystem == nil || !*c.SecurityContext.ReadOnlyRootFilesystem {
		k.t.Fatalf("a pod is to have its configuration and no disk, but it has %v", pod.Volumes)
	}
	cmd := exec.CommandContext(context.WithoutCancel(k.t.Context()), k.program)
	for _, arg := range args {
		cmd.Args = append(cmd.Args, strings.Replace(arg, c.VolumeMounts[0].MountPath, k.dir, 1))
	}
	cmd.Dir = k.t.TempDir()
	for _, v := range c.Env {
		if v.ValueFrom != nil {
			v.Value = map[string]string{"metadata.name": name}[v.ValueFrom.FieldRef.FieldPath]
		}
		cmd.Env = append(cmd.Env, v.Name+"="+v.Value)
	}
	return cmd
}

// pod is one life of a pod.
type pod struct {
	t       *testing.T
	ready   string // the URL of its probe
	began   time.Time
	process *exec.Cmd
	log     bytes.Buffer // until it has ended
	ended   chan struct{}
}

// start starts pods by their numbers.
func (k *cluster) start(numbers ...int) (all []*pod) {
	k.t.Helper()
	c := k.set.Spec.Template.Spec.Containers[0]
	for _, i := range numbers {
		address, err := testbed.FreeAddress(k.t.Context())
		check(k.t, err)
		p := &pod{t: k.t, began: time.Now(), ended: make(chan struct{}), ready: "http://" + address + c.ReadinessProbe.HTTPGet.Path}
		p.process = k.command(fmt.Sprintf("%s-%d", k.set.Name, i),
			slices.Concat(c.Args, []string{"--set", "http.listen=" + address, "--set", "snapshots.every=" + k.every.String()})...)
		p.process.Stdout, p.process.Stderr = &p.log, &p.log
		check(k.t, p.process.Start())
		go func() {
			_ = p.process.Wait() // its state says how it ended
			close(p.ended)
		}()
		k.t.Cleanup(func() {
			p.kill()
			if k.t.Failed() {
				k.t.Logf("pod %d:\n%s", i, p.log.String())
			}
			if left, err := os.ReadDir(p.process.Dir); err != nil || len(left) > 0 {
				k.t.Errorf("pod %d has written %v, error %v", i, left, err)
			}
		})
		all = append(all, p)
	}
	return all
}

// kill ends a pod by SIGKILL.
func (p *pod) kill() {
	_ = p.process.Process.Kill() // it may have ended already
	<-p.ended
}

// stop ends a pod as Kubernetes does.
func (p *pod) stop() {
	p.t.Helper()
	check(p.t, p.process.Process.Signal(syscall.SIGTERM))
	<-p.ended
	if state := p.process.ProcessState; !state.Success() {
		p.t.Errorf("a pod that is asked to end ends with %v", state)
	}
}

// ready returns how long it took from their start until all were ready.
func (k *cluster) ready(all ...*pod) (took time.Duration) {
	k.t.Helper()
	for _, p := range all {
		k.until("a pod is ready", func(ctx context.Context) bool {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.ready, http.NoBody)
			check(k.t, err)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				return false
			}
			check(k.t, resp.Body.Close())
			return resp.StatusCode == http.StatusOK
		})
		took = time.Since(p.began)
	}
	return took
}

// until waits for a condition that only asking again can find.
func (k *cluster) until(what string, is func(context.Context) bool) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !is(ctx) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			k.t.Fatalf("waited in vain until %s", what)
		}
	}
}

// original returns the number of the document of which document n is a copy, or n if it is none. A copy is in the partition
// of its original, so that it comes later.
func original(n int) int {
	turn := n / partitions
	if turn%4 < 3 {
		return n
	}
	return n%partitions + partitions*4*rand.New(rand.NewPCG(1, uint64(n))).IntN(turn/4+1)
}

func document(n int) []byte {
	of := original(n)
	words := rand.New(rand.NewPCG(2, uint64(of)))
	var text []byte
	for range 30 {
		text = fmt.Appendf(text, "w%x ", words.Uint32())
	}
	if of != n {
		text = append(text, "again"...)
	}
	return text
}

// feed sends documents until ctx is done.
func (k *cluster) feed(ctx context.Context) {
	tick := time.NewTicker(time.Second / rate)
	defer tick.Stop()
	for ctx.Err() == nil {
		r := &kgo.Record{
			Topic: k.source(), Partition: int32(k.sent % partitions), Key: strconv.AppendInt(nil, int64(k.sent), 10), Value: document(k.sent),
		}
		k.client.Produce(context.WithoutCancel(ctx), r, func(_ *kgo.Record, err error) {
			if err != nil {
				k.t.Errorf("a document is not sent: %v", err)
			}
		})
		k.sent++
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	if err := k.client.Flush(context.WithoutCancel(ctx)); err != nil {
		k.t.Error(err)
	}
}

// journal returns the offsets at which the journal begins and ends.
func (k *cluster) journal(ctx context.Context) (start, end int64, ok bool) {
	name := k.group + ".journal"
	starts, err := k.admin.ListStartOffsets(ctx, name)
	first, there := starts.Lookup(name, 0)
	ends, endErr := k.admin.ListEndOffsets(ctx, name)
	last, still := ends.Lookup(name, 0)
	return first.Offset, last.Offset, err == nil && endErr == nil && there && still
}

// watch looks at the journal until ctx is done.
func (k *cluster) watch(ctx context.Context) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		if start, end, ok := k.journal(ctx); ok {
			k.ends = append(k.ends, sample{time.Now(), end})
			for len(k.ends) > 0 && k.ends[0].end <= start {
				k.ends = k.ends[1:]
			}
			k.most = max(k.most, end-start)
			if len(k.ends) > 0 {
				k.oldest = max(k.oldest, time.Since(k.ends[0].at))
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// trimmed waits until the journal begins behind where it ends now.
func (k *cluster) trimmed() {
	k.t.Helper()
	_, now, ok := k.journal(k.t.Context())
	k.until("the journal is trimmed", func(ctx context.Context) bool {
		start, _, still := k.journal(ctx)
		return ok && still && start > now
	})
}

// settled waits until all that was sent is committed.
func (k *cluster) settled() {
	k.t.Helper()
	k.until("all is committed", func(ctx context.Context) bool {
		offsets, err := k.admin.FetchOffsets(ctx, k.group)
		committed := 0
		offsets.Each(func(o kadm.OffsetResponse) {
			if o.Topic == k.source() {
				committed += int(o.At)
			}
		})
		return err == nil && committed == k.sent
	})
}

// kept holds what the journal keeps.
func (k *cluster) kept() {
	k.t.Helper()
	ctx := k.t.Context()
	k.until("the journal begins right before the second newest snapshot", func(ctx context.Context) bool {
		out, err := k.run("snapshot", "list", "--json")
		check(k.t, err)
		var offsets []int64
		for line := range bytes.Lines(out) {
			var one struct{ Offset int64 }
			check(k.t, json.Unmarshal(line, &one))
			offsets = append(offsets, one.Offset)
		}
		start, _, ok := k.journal(ctx)
		return ok && len(offsets) > 1 && start == offsets[1]-1
	})
	name := k.group + ".journal"
	dirs, err := k.admin.DescribeAllLogDirs(ctx, kadm.TopicsSet{name: {0: {}}})
	check(k.t, err)
	size := int64(0)
	dirs.Each(func(d kadm.DescribedLogDir) {
		if p, ok := d.Topics.Lookup(name, 0); ok {
			size = p.Size // Kafka deletes none of it within the test
		}
	})
	_, end, _ := k.journal(ctx)
	k.t.Logf("snapshots every %v, %d documents: the journal had %d records, %d B a document. It held at most %d records, some %d B, the oldest for %.1f s",
		k.every, k.sent, end, size/int64(k.sent), k.most, k.most*size/end, k.oldest.Seconds())
	if bound := 3*k.every + leased + slowly; k.oldest > bound {
		k.t.Errorf("the journal held a record for %v, want at most %v", k.oldest, bound)
	}
}

// run runs the program as an operator would, in a pod.
func (k *cluster) run(args ...string) ([]byte, error) {
	k.t.Helper()
	c := k.set.Spec.Template.Spec.Containers[0]
	return k.command("operator", append(args, c.Args[1:3]...)...).Output() // --config and the file
}

// came holds that each document came out once, with its verdict.
func (k *cluster) came() {
	k.t.Helper()
	verdicts := make(map[string][]string, k.sent)
	for _, verdict := range []string{"unique", "duplicate", "rejected"} {
		for p := range int32(partitions) {
			all, err := unpacktest.Read(k.t.Context(), k.client, k.source()+"."+verdict, p)
			check(k.t, err)
			for i := range all {
				key := string(all[i].Key)
				verdicts[key] = append(verdicts[key], verdict)
			}
		}
	}
	wrong := 0
	for n := range k.sent {
		want := "unique"
		if original(n) != n {
			want = "duplicate"
		}
		if got := verdicts[strconv.Itoa(n)]; len(got) != 1 || got[0] != want {
			if wrong++; wrong <= 10 {
				k.t.Errorf("document %d, a copy of %d, came out as %q; want once, as %s", n, original(n), got, want)
			}
		}
	}
	if wrong > 0 || len(verdicts) != k.sent {
		k.t.Errorf("of %d documents %d came out wrongly; %d keys came out", k.sent, wrong, len(verdicts))
	}
}

// audited holds that the program's own audit finds nothing.
func (k *cluster) audited() {
	k.t.Helper()
	out, err := k.run("audit")
	if err != nil {
		k.t.Errorf("the audit ends with %v:\n%s", err, out)
	}
}
