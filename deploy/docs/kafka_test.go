package docs

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/retry"
)

// What the README says to type next is enough: its nine lines, with this test's broker and names, and its commands,
// filter a topic of a real Kafka, and the outputs are those that it shows.
func TestReadmeStartsOnKafka(t *testing.T) {
	brokers := os.Getenv("UNECHO_TEST_KAFKA")
	if brokers == "" {
		t.Skip("no Kafka: make test brings one")
	}
	topic := "readme" + time.Now().Format("150405.000000")
	dir, bin := t.TempDir(), program(t)
	yaml := strings.NewReplacer("localhost:9092", brokers, "[news]", "["+topic+"]", "news-filter", topic).
		Replace(read(t, "deploy/examples/unecho.yaml")) + "http: {listen: ''}\n"
	if err := os.WriteFile(filepath.Join(dir, "unecho.yaml"), []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "deploy/examples"),
		os.DirFS(filepath.Join(root, "deploy/examples"))); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	createTopic(ctx, t, brokers, topic)
	steps := section(t, read(t, "README.md"), "## On your Kafka")
	_, typed, _ := strings.Cut(steps, "```console\n")
	var want, got []string
	for line := range strings.Lines(typed[:strings.Index(typed, "```\n")]) {
		// it has notes about topics that are not there yet, and about one broker
		if !strings.HasPrefix(line, "$ unecho doctor") {
			want = append(want, strings.ReplaceAll(line, "news", topic))
		}
	}
	for i, line := range want {
		command, isCommand := strings.CutPrefix(line, "$ ")
		if !isCommand {
			continue
		}
		got = append(got, line)
		command, background := strings.CutSuffix(strings.TrimSpace(command), " &")
		shown := slices.IndexFunc(append(want[i+1:len(want):len(want)], "$ "),
			func(s string) bool { return strings.HasPrefix(s, "$ ") })
		if background {
			begin(ctx, t, shell(ctx, bin, dir, "exec "+command),
				func(said string) bool { return strings.Contains(said, `"message":"ready"`) })
		} else {
			left := shown
			begin(ctx, t, shell(ctx, bin, dir, "exec "+command), func(said string) bool {
				got = append(got, said)
				left--
				return left == 0
			})
		}
	}
	if g, w := anyPartition(got), anyPartition(want); g != w {
		t.Errorf("the README shows\n%sand it is\n%s", w, g)
	}
}

// anyPartition forgets the partition. The topic here has one, so that the texts cannot part.
func anyPartition(lines []string) string {
	return strings.NewReplacer("/0/", "/P/", "/3/", "/P/").Replace(strings.Join(lines, ""))
}

func createTopic(ctx context.Context, t *testing.T, brokers, topic string) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers))
	if err != nil {
		t.Fatal(err)
	}
	admin := kadm.NewClient(client)
	if _, err := admin.CreateTopic(ctx, 1, 1, nil, topic); err != nil {
		t.Fatal(err)
	}
	for { // a broker that has much to do learns of it later
		topics, err := admin.ListTopics(ctx, topic)
		if err == nil && topics.Has(topic) && topics[topic].Err == nil {
			break
		}
		if retry.Pause(ctx, 50*time.Millisecond) != nil {
			t.Fatalf("the topic %s was created, and no broker knows it: %v, %v", topic, topics.Error(), err)
		}
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(ctx)
		_, _ = admin.DeleteTopics(ctx, topic, topic+".unique", topic+".duplicate", topic+".rejected", topic+".journal")
		client.Close()
	})
}

// begin starts a command, and returns when it has printed a line that is the last one wanted. It is stopped at the
// end of the test.
func begin(ctx context.Context, t *testing.T, cmd *exec.Cmd, last func(line string) bool) {
	t.Helper()
	out, in := io.Pipe()
	cmd.Stdout, cmd.Stderr = in, in
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 30 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // what matters is what it printed
		_ = in.Close()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
	})
	lines, said := bufio.NewScanner(out), ""
	for lines.Scan() {
		said = lines.Text()
		if last(lines.Text() + "\n") {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return
		}
	}
	t.Fatalf("%v ended too early: %v\n%s", cmd.Args, ctx.Err(), said)
}
