package docs

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// kitchen is where recipes of the pages are tried: a topic and a configuration on a real Kafka.
type kitchen struct {
	t       *testing.T
	brokers string
	name    string // takes the place of "news" in the recipes
	dir     string
	bin     string
	client  *kgo.Client
	admin   *kadm.Client
}

// newKitchen makes a topic with documents. Each of them has a partition.
func newKitchen(t *testing.T, bin string, partitions int32, documents ...*kgo.Record) *kitchen {
	t.Helper()
	k := &kitchen{
		t: t, brokers: os.Getenv("UNECHO_TEST_KAFKA"), name: "recipe" + time.Now().Format("150405.000000"),
		dir: t.TempDir(), bin: bin,
	}
	var err error
	k.client, err = kgo.NewClient(kgo.SeedBrokers(k.brokers), kgo.DefaultProduceTopic(k.name),
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.UnknownTopicRetries(20))
	k.ok(err)
	k.admin = kadm.NewClient(k.client)
	ctx := k.within()
	forever := "-1"
	_, err = k.admin.CreateTopic(ctx, partitions, 1, map[string]*string{"retention.ms": &forever}, k.name)
	k.ok(err)
	t.Cleanup(k.clean)
	k.send(documents...)
	k.write("unecho.yaml", k.named(read(t, "deploy/examples/unecho.yaml"))+"http: {listen: ''}\n")
	return k
}

func (k *kitchen) ok(err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
}

func (k *kitchen) within() context.Context {
	ctx, stop := context.WithTimeout(k.t.Context(), time.Minute)
	k.t.Cleanup(stop)
	return ctx
}

func (k *kitchen) send(documents ...*kgo.Record) {
	k.t.Helper()
	for i := range documents { // one after the other, so that offsets are those of the page
		k.ok(k.client.ProduceSync(k.within(), documents[i]).FirstErr())
	}
}

func (k *kitchen) write(file, text string) {
	k.t.Helper()
	k.ok(os.WriteFile(filepath.Join(k.dir, file), []byte(text), 0o600))
}

// remove deletes a topic. It waits until the broker tells of none, because the topic of its name is to be another one.
func (k *kitchen) remove(topic string) {
	k.t.Helper()
	ctx := k.within()
	_, err := k.admin.DeleteTopic(ctx, topic)
	for there := true; there && err == nil; {
		var topics kadm.TopicDetails
		topics, err = k.admin.ListTopics(ctx, topic)
		there = topics.Has(topic)
	}
	k.ok(err)
}

// clean deletes what begins with the kitchen's name, of backfills too.
func (k *kitchen) clean() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	defer k.client.Close()
	topics, err := k.admin.ListTopics(ctx)
	k.ok(err)
	for _, topic := range topics.Names() {
		if strings.Contains(topic, k.name) {
			_, err := k.admin.DeleteTopics(ctx, topic)
			k.ok(err)
		}
	}
	groups, err := k.admin.ListGroups(ctx)
	k.ok(err)
	for _, group := range groups.Groups() {
		if strings.Contains(group, k.name) {
			_, err := k.admin.DeleteGroups(ctx, group)
			k.ok(err)
		}
	}
}

// named gives a text of the page this test's names, and unnamed those of the page again.
func (k *kitchen) named(text string) string {
	names := []string{"localhost:9092", k.brokers, "news-filter", k.name + "-filter"}
	for _, word := range []string{"repair", "loose-trial", "loose", "archive", "older", "crawl"} {
		names = append(names, "backfill."+word, "backfill."+k.name+"-"+word)
		for _, before := range []string{"--name ", "remove ", "removed backfill ", "backfill "} {
			names = append(names, before+word, before+k.name+"-"+word)
		}
		names = append(names, "\n"+word+":", "\n"+k.name+"-"+word+":")
	}
	for _, output := range []string{"unique", "duplicate", "rejected"} {
		for _, name := range []string{"archive", "crawl"} {
			names = append(names, name+".backfill."+output, k.name+"-"+name+".backfill."+output)
		}
	}
	names = append(names, "--into search", "--into "+k.name+"-search", "backfill search:", "backfill "+k.name+"-search:",
		"group: search", "group: "+k.name+"-search")
	for _, output := range []string{"unique", "duplicate", "rejected"} {
		names = append(names, "search."+output, k.name+"-search."+output)
	}
	return strings.NewReplacer(append(names, "news", k.name)...).Replace(text)
}

// recipe returns a marked block of the pages, with this test's names.
func (k *kitchen) recipe(mark string) string {
	k.t.Helper()
	pages := read(k.t, "deploy/docs/replay.md") + read(k.t, "deploy/docs/change.md")
	m := regexp.MustCompile("(?s)<!-- " + regexp.QuoteMeta(mark) + " -->\n```[a-z]+\n(.*?)```\n").FindStringSubmatch(pages)
	if m == nil {
		k.t.Fatalf("replay.md and change.md have no block %q", mark)
	}
	return k.named(m[1])
}

// prints runs the commands of a recipe, and holds what they print against what the page shows.
func (k *kitchen) prints(mark string) {
	k.t.Helper()
	shown := k.recipe(mark)
	var got strings.Builder
	for _, line := range (console{text: shown}).commands() {
		cmd := shell(k.within(), k.bin, k.dir, line)
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			k.t.Fatalf("the command %s ends with %v:\n%s", line, err, said.String())
		}
		got.WriteString("$ " + line + "\n" + string(out))
	}
	if !shows(timeless(shown), timeless(got.String())) {
		k.t.Errorf("the page shows\n%sand it is\n%s", shown, got.String())
	}
}

// timeless has no figures that differ from run to run, and no widths of names.
func timeless(text string) string {
	text = regexp.MustCompile(`fixed at [0-9: -]+ UTC`).ReplaceAllString(text, "fixed at #")
	return regexp.MustCompile(`worked for .* a second`).ReplaceAllString(text, "worked for #")
}

// verdicts reads what came to topics: for each source document how it was judged, and by which headers.
func (k *kitchen) verdicts(n int, topics ...string) map[string][]string {
	k.t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(k.brokers), kgo.ConsumeTopics(topics...),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	k.ok(err)
	defer client.Close()
	got := map[string][]string{}
	for n > 0 {
		fetches := client.PollFetches(k.within())
		k.ok(fetches.Err())
		fetches.EachRecord(func(r *kgo.Record) {
			n--
			headers := map[string]string{}
			for _, h := range r.Headers {
				headers[h.Key] = strings.ReplaceAll(string(h.Value), k.name, "news")
			}
			verdict := strings.TrimSpace(headers["unecho-verdict"] + " " + headers["unecho-match"])
			if late := headers["unecho-late"]; late != "" {
				verdict += " late " + late
			}
			got[headers["unecho-source"]] = append(got[headers["unecho-source"]], verdict)
		})
	}
	return got
}

// works runs a command that does not end, until it has printed a line with that text. It returns all that was printed
// until then but the log, and what stops the command, which must end well.
func (k *kitchen) works(line, until string) (printed string, stop func()) {
	k.t.Helper()
	cmd := shell(context.WithoutCancel(k.t.Context()), k.bin, k.dir, "exec "+line)
	out, in := io.Pipe()
	cmd.Stdout, cmd.Stderr = in, in
	k.ok(cmd.Start())
	ended := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		_ = in.Close() // never fails
		ended <- err
	}()
	stop = sync.OnceFunc(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // if it has ended, that is told here
		if err := <-ended; err != nil {
			k.t.Errorf("the command %s ends with %v when it is told to end", line, err)
		}
	})
	k.t.Cleanup(stop)
	var all strings.Builder
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if text := lines.Text(); !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "unecho: ") {
			all.WriteString(text + "\n")
		}
		if strings.Contains(lines.Text(), until) {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return all.String(), stop
		}
	}
	k.t.Fatalf("%s ended without %q\n%s", line, until, all.String())
	return "", nil
}

// kafkasTools puts the tool of the recipes into the path: that of the Kafka that the tests run on.
func (k *kitchen) kafkasTools() {
	k.t.Helper()
	jars := os.Getenv("UNECHO_TEST_KAFKA_CLASSPATH")
	if jars == "" {
		k.t.Skip("needs the jars of Kafka's tools: set UNECHO_TEST_KAFKA_CLASSPATH, or run make test")
	}
	java := "java"
	if home := os.Getenv("JAVA_HOME"); home != "" {
		java = filepath.Join(home, "bin", "java")
	}
	tool := fmt.Sprintf("#!/bin/sh\nexec '%s' -Xmx128m -cp '%s' "+
		"org.apache.kafka.tools.consumer.group.ConsumerGroupCommand \"$@\"\n", java, jars)
	k.ok(os.WriteFile(filepath.Join(k.bin, "kafka-consumer-groups.sh"), []byte(tool), 0o700)) // a program
}
