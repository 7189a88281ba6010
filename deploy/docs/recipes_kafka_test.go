package docs

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// kitchen is where recipes of operations.md are tried: a topic and a configuration on a real Kafka.
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
	k := &kitchen{t: t, brokers: os.Getenv("UNECHO_TEST_KAFKA"), name: "recipe" + time.Now().Format("150405.000000"), dir: t.TempDir(), bin: bin}
	var err error
	k.client, err = kgo.NewClient(kgo.SeedBrokers(k.brokers), kgo.DefaultProduceTopic(k.name), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.UnknownTopicRetries(20))
	k.ok(err)
	k.admin = kadm.NewClient(k.client)
	ctx := k.within()
	forever := "-1"
	_, err = k.admin.CreateTopic(ctx, partitions, 1, map[string]*string{"retention.ms": &forever}, k.name)
	k.ok(err)
	t.Cleanup(k.clean)
	k.send(documents...)
	k.write("unecho.yaml", k.named(read(t, "deploy/examples/unecho.yaml"))+"ops: {listen: ''}\n")
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
	for _, word := range []string{"repair", "loose-trial", "loose", "archive"} {
		names = append(names, "backfill."+word, "backfill."+k.name+"-"+word)
		for _, before := range []string{"--name ", "remove ", "removed backfill ", "backfill "} {
			names = append(names, before+word, before+k.name+"-"+word)
		}
		names = append(names, "\n"+word+":", "\n"+k.name+"-"+word+":")
	}
	for _, output := range []string{"unique", "duplicate", "rejected"} {
		names = append(names, "archive.backfill."+output, k.name+"-archive.backfill."+output)
	}
	names = append(names, "--into search", "--into "+k.name+"-search", "backfill search:", "backfill "+k.name+"-search:", "group: search", "group: "+k.name+"-search")
	for _, output := range []string{"unique", "duplicate", "rejected"} {
		names = append(names, "search."+output, k.name+"-search."+output)
	}
	return strings.NewReplacer(append(names, "news", k.name)...).Replace(text)
}

// recipe returns a marked block of the page, with this test's names.
func (k *kitchen) recipe(mark string) string {
	k.t.Helper()
	m := regexp.MustCompile("(?s)<!-- " + regexp.QuoteMeta(mark) + " -->\n```[a-z]+\n(.*?)```\n").FindStringSubmatch(read(k.t, "deploy/docs/operations.md"))
	if m == nil {
		k.t.Fatalf("operations.md has no block %q", mark)
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
			k.t.Fatalf("%s: %v\n%s", line, err, said.String())
		}
		got.WriteString("$ " + line + "\n" + string(out))
	}
	if !shows(timeless(shown), timeless(got.String())) {
		k.t.Errorf("operations.md shows\n%sand it is\n%s", shown, got.String())
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
	client, err := kgo.NewClient(kgo.SeedBrokers(k.brokers), kgo.ConsumeTopics(topics...), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
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

// lettered is a document's text by its letter: thirty words, some of them changed.
func lettered(letter byte, edited ...int) []byte {
	var b strings.Builder
	for i := range 30 {
		if slices.Contains(edited, i) {
			b.WriteString("changed ")
			continue
		}
		fmt.Fprintf(&b, "%c%d ", letter, i)
	}
	return []byte(b.String())
}

func at(partition int32, when string, value []byte) *kgo.Record {
	day, err := time.Parse("2006-01-02 15:04", when)
	if err != nil {
		panic(err)
	}
	return &kgo.Record{Partition: partition, Timestamp: day, Value: value}
}

// feed is that of the recipes: eight documents of some days. C is copied loosely: found at 0.6, not at 0.8.
func feed() []*kgo.Record {
	return []*kgo.Record{
		at(0, "2026-03-01 09:00", lettered('A')), at(1, "2026-03-01 12:00", lettered('B')),
		at(0, "2026-03-02 10:00", lettered('C')), at(1, "2026-03-02 10:10", lettered('D')),
		at(0, "2026-03-02 11:00", lettered('D')), at(1, "2026-03-03 09:00", lettered('C', 10, 20)),
		at(0, "2026-03-03 10:00", lettered('E')), at(1, "2026-03-03 10:30", lettered('E')),
	}
}

// The recipes of operations.md about replaying do what the page says.
func TestRecipes(t *testing.T) {
	t.Parallel()
	if os.Getenv("UNECHO_TEST_KAFKA") == "" {
		t.Skip("no Kafka: make test brings one")
	}
	bin := program(t)
	for name, recipe := range map[string]func(*testing.T, string){
		"replay": recipesOfBackfill, "new index": recipeOfNewIndex, "priming": recipeOfPriming, "offsets": recipeOfOffsets, "time": recipeOfTime,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recipe(t, bin)
		})
	}
}

// Backfills print what the recipes show, are listed, and are removed.
func recipesOfBackfill(t *testing.T, bin string) {
	k := newKitchen(t, bin, 2, feed()...)
	k.prints("recipe: repair")
	k.prints("recipe: loose")
	k.prints("recipe: list")
	for _, name := range []string{"old.jsonl", "new.jsonl"} {
		k.write(name, read(t, "deploy/examples/"+name))
	}
	k.prints("recipe: files")
	got := k.verdicts(8, k.named("news.backfill.loose.unique"), k.named("news.backfill.loose.duplicate"))
	if v := got["news/1/2"]; len(v) != 1 || v[0] != "duplicate news/0/1" {
		t.Errorf("the loose copy is %q", v)
	}
	groups, err := k.admin.ListGroups(k.within())
	k.ok(err)
	if _, there := groups[k.named("unecho-backfill.repair")]; there {
		t.Error("the group of a backfill that was removed is there")
	}
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
			k.t.Errorf("%s: %v", line, err)
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

// A search index is filled from the topic's beginning and goes on live, also as a service of its own, without a gap:
// what comes then is held against what was replayed.
func recipeOfNewIndex(t *testing.T, bin string) {
	k := newKitchen(t, bin, 2, feed()...)
	k.write("search.yaml", k.recipe("file: search.yaml")+"ops: {listen: ''}\n")
	shown := k.recipe("recipe: search")
	line := (console{text: shown}).commands()[0]
	printed, stop := k.works(line, "this process worked")
	if got := "$ " + line + "\n" + printed; !shows(timeless(shown), timeless(got)) {
		t.Errorf("operations.md shows\n%sand it is\n%s", shown, got)
	}
	k.send(at(0, "2026-03-03 11:00", lettered('E')), at(1, "2026-03-03 12:00", lettered('F')))
	outputs := []string{k.named("search.unique"), k.named("search.duplicate")}
	got := k.verdicts(10, outputs...)
	stop()
	_, stop = k.works("unecho run --config search.yaml", `"message":"ready"`)
	k.send(at(1, "2026-03-03 12:30", lettered('F')))
	for source, v := range k.verdicts(11, outputs...) {
		got[source] = v
	}
	stop()
	for source, want := range map[string]string{
		"news/0/0": "unique", "news/0/3": "unique", "news/0/4": "duplicate news/0/3", "news/1/4": "unique", "news/1/5": "duplicate news/1/4",
	} {
		if v := got[source]; len(v) != 1 || v[0] != want {
			t.Errorf("%s is %q, want %s", source, v, want)
		}
	}
}

// A group that begins at the topic's end is primed while it runs: copies of what was before are duplicates then, and
// nothing of it came out.
func recipeOfPriming(t *testing.T, bin string) {
	documents, begin := feed(), time.Now().Add(-8*time.Hour)
	for i := range documents {
		documents[i].Timestamp = begin.Add(time.Duration(i) * time.Hour / 2)
	}
	k := newKitchen(t, bin, 2, documents...)
	_, stop := k.works("unecho run --set source.start=latest", `"message":"ready"`)
	k.prints("recipe: prime")
	k.send(at(1, "2026-03-01 09:00", lettered('A')), at(0, "2026-03-01 09:00", lettered('F')), at(1, "2026-03-01 09:00", lettered('D', 3)))
	got := k.verdicts(3, k.named("news.unique"), k.named("news.duplicate"))
	stop()
	for source, want := range map[string]string{"news/1/4": "duplicate news/0/0", "news/0/4": "unique", "news/1/5": "duplicate news/1/1"} {
		if v := got[source]; len(v) != 1 || v[0] != want {
			t.Errorf("%s is %q, want %s", source, v, want)
		}
	}
	_, stop = k.works("unecho run --set source.start=latest", `"message":"ready"`)
	k.send(at(1, "2026-03-01 09:00", lettered('E')))
	got = k.verdicts(4, k.named("news.unique"), k.named("news.duplicate"))
	stop()
	if v := got["news/1/6"]; len(got) != 4 || len(v) != 1 || v[0] != "duplicate news/0/3" {
		t.Errorf("after a restart: %q", got)
	}
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
	tool := fmt.Sprintf("#!/bin/sh\nexec '%s' -Xmx128m -cp '%s' org.apache.kafka.tools.consumer.group.ConsumerGroupCommand \"$@\"\n", java, jars)
	k.ok(os.WriteFile(filepath.Join(k.bin, "kafka-consumer-groups.sh"), []byte(tool), 0o700)) //nolint:gosec // a program
}

// After the offsets were set back, the outputs hold the documents twice, under the same unecho-source.
func recipeOfOffsets(t *testing.T, bin string) {
	k := newKitchen(t, bin, 2, feed()...)
	k.kafkasTools()
	outputs := []string{k.named("news.unique"), k.named("news.duplicate")}
	lines := (console{text: k.recipe("recipe: reset")}).commands()
	_, stop := k.works(lines[1], `"message":"ready"`)
	first := k.verdicts(8, outputs...)
	stop()
	if said, err := shell(k.within(), k.bin, k.dir, lines[0]).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", lines[0], err, said)
	}
	_, stop = k.works(lines[1], `"message":"ready"`)
	both := k.verdicts(16, outputs...)
	stop()
	for source := range first {
		if len(both[source]) != 2 {
			t.Errorf("%s came out as %q, and then as %q", source, first[source], both[source])
		}
	}
	if len(both) != 8 {
		t.Errorf("%d documents came out", len(both))
	}
}

// The example of the page about time is what happens.
func recipeOfTime(t *testing.T, bin string) {
	page := section(t, read(t, "deploy/docs/operations.md"), "### Time in a backfill")
	row := regexp.MustCompile("(?m)^\\| `news/(\\d)/(\\d+)` \\| ([^|]+) \\| ([A-Z]) \\| [^|]+ \\| (\\w+) \\| (.*)\\|$")
	rows := row.FindAllStringSubmatch(page, -1)
	if len(rows) < 10 {
		t.Fatalf("only %d rows: is the example still a table?", len(rows))
	}
	slices.SortFunc(rows, func(a, b []string) int { return strings.Compare(a[1]+a[2], b[1]+b[2]) })
	var documents []*kgo.Record
	want := map[string]string{}
	for _, m := range rows {
		when := time.UnixMilli(0)
		if day, err := time.Parse("2 January 15:04", m[3]); err == nil {
			when = day.AddDate(2026, 0, 0)
			if day.Month() == time.December {
				when = day.AddDate(2025, 0, 0)
			}
		} else if strings.HasPrefix(m[3], "in half an hour") {
			when = time.Now().Add(30 * time.Minute)
		}
		documents = append(documents, &kgo.Record{Partition: int32(m[1][0] - '0'), Timestamp: when, Value: lettered(m[4][0])})
		verdict := m[5]
		if of := regexp.MustCompile("^of `(news/\\d/\\d)`").FindStringSubmatch(m[6]); of != nil {
			verdict += " " + of[1]
		}
		if late := regexp.MustCompile("`unecho-late: (\\d+)`").FindStringSubmatch(m[6]); late != nil {
			verdict += " late " + late[1]
		}
		want["news/"+m[1]+"/"+m[2]] = verdict
	}
	k := newKitchen(t, bin, 3, documents...)
	if said, err := shell(k.within(), k.bin, k.dir, k.named("unecho backfill --topic news --name repair")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	got := k.verdicts(len(documents), k.named("news.backfill.repair.unique"), k.named("news.backfill.repair.duplicate"))
	for source, verdict := range want {
		if v := got[source]; len(v) != 1 || v[0] != verdict {
			t.Errorf("%s is %q, and the page says %s", source, v, verdict)
		}
	}
}
