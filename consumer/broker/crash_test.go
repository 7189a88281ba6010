package broker

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// crashDir, in the environment, makes the test binary the process that is killed.
const crashDir = "UNECHO_TEST_CRASH_DIR"

var kills = flag.Int("kills", 12, "how often the embedded broker is killed")

const crashParts = 6

// crashMain runs an embedded broker and copies topic in to out, exactly once, until it is killed. It prints a line for each
// transaction that was committed: how many records it had.
func crashMain(dir string) {
	if err := crash(context.Background(), dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func crash(ctx context.Context, dir string) error {
	e, err := StartEmbedded(ctx, EmbeddedParams{Dir: dir, Listen: "127.0.0.1:0"}, zerolog.New(os.Stderr).Level(zerolog.WarnLevel))
	if err != nil {
		return err
	}
	s, err := kgo.NewGroupTransactSession(kgo.SeedBrokers(e.Addr()), kgo.TransactionalID("copy"), kgo.ConsumerGroup("copy"),
		kgo.ConsumeTopics("in"), kgo.InstanceID("copy-0"), kgo.SessionTimeout(6*time.Second), kgo.TransactionTimeout(10*time.Second),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.ProducerLinger(0))
	if err != nil {
		return err
	}
	if _, _, err := s.Client().ProducerID(ctx); err != nil { // fences what a process before us left open
		return err
	}
	for {
		f := s.PollRecords(ctx, 40)
		if err := f.Err(); err != nil {
			return err
		}
		if err := s.Begin(); err != nil {
			return err
		}
		f.EachRecord(func(r *kgo.Record) {
			for p := range int32(crashParts) {
				s.Produce(ctx, &kgo.Record{Topic: "out", Partition: p, Value: r.Value}, nil)
			}
		})
		if ok, err := s.End(ctx, kgo.TryCommit); err != nil || !ok {
			return fmt.Errorf("end: %v, %w", ok, err)
		}
		if _, err := fmt.Println(f.NumRecords()); err != nil {
			return err
		}
	}
}

// The embedded broker is killed at random moments under a transactional copy, again and again on the same directory. Then
// each partition of the copy holds what was read, once, in order, up to the offset that the group committed; and nothing
// is missing that was acknowledged.
func TestEmbeddedSurvivesKills(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a test's dice
	acknowledged := 0
	for range *kills {
		acknowledged += killed(t, dir, 1+r.IntN(10), time.Duration(r.IntN(5000))*time.Microsecond)
	}

	e := embedded(t, EmbeddedParams{Dir: dir})
	cl := client(t, params(e.Addr()), kgo.ConsumeTopics("out"), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	committed, err := kadm.NewClient(cl).FetchOffsets(deadline(t), "copy")
	if err != nil {
		t.Fatal(err)
	}
	o, _ := committed.Lookup("in", 0)
	t.Logf("%d records acknowledged, %d committed", acknowledged, o.At)
	if o.At < int64(acknowledged) || o.At == 0 {
		t.Errorf("%d records were acknowledged, the group's offset is %d", acknowledged, o.At)
	}
	got := make([][]string, crashParts)
	read(t, cl, func(r *kgo.Record) { got[r.Partition] = append(got[r.Partition], string(r.Value)) })
	want := make([]string, o.At)
	for i := range want {
		want[i] = strconv.Itoa(i)
	}
	for p := range got {
		if !slices.Equal(got[p], want) {
			t.Errorf("partition %d holds %d records, the group committed %d; first difference at %d",
				p, len(got[p]), o.At, difference(got[p], want))
		}
	}
}

func difference(a, b []string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// fill writes topic in.
func fill(t *testing.T, dir string) {
	t.Helper()
	e := embedded(t, EmbeddedParams{Dir: dir})
	cl := client(t, params(e.Addr()), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	ts := NewTopics(cl, zerolog.Nop())
	for name, parts := range map[string]int{"in": 1, "out": crashParts} {
		if _, err := ts.create(deadline(t), name, parts, -1, nil); err != nil {
			t.Fatal(err)
		}
	}
	ctx := deadline(t)
	for i := range 2000 + *kills*1500 { // more than is ever copied
		cl.Produce(ctx, &kgo.Record{Topic: "in", Value: []byte(strconv.Itoa(i))}, nil)
	}
	if err := cl.Flush(deadline(t)); err != nil {
		t.Fatal(err)
	}
	cl.Close()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}

// killed runs the copy for so many commits and a moment more, kills it, and returns how many records were acknowledged.
func killed(t *testing.T, dir string, commits int, more time.Duration) (acknowledged int) {
	t.Helper()
	cmd := exec.CommandContext(deadline(t), os.Args[0]) //nolint:gosec // ourselves
	cmd.Env = append(os.Environ(), crashDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		count, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatal(err)
		}
		acknowledged += count
		if n == commits {
			time.AfterFunc(more, func() { _ = cmd.Process.Kill() })
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.Exited() {
		t.Fatalf("the copy was not killed, it ended: %v", err)
	}
	return acknowledged
}

// read hands on every committed record up to the end of each partition.
func read(t *testing.T, cl *kgo.Client, each func(*kgo.Record)) {
	t.Helper()
	ends, err := kadm.NewClient(cl).ListCommittedOffsets(deadline(t), "out")
	if err != nil {
		t.Fatal(err)
	}
	position := make(map[int32]int64)
	done := func() bool {
		all := true
		ends.Each(func(o kadm.ListedOffset) { all = all && position[o.Partition] >= o.Offset })
		return all
	}
	for !done() {
		f := cl.PollFetches(deadline(t))
		if err := f.Err(); err != nil {
			t.Fatal(err)
		}
		f.EachRecord(func(r *kgo.Record) {
			position[r.Partition] = r.Offset + 1
			if !r.Attrs.IsControl() {
				each(r)
			}
		})
	}
}
