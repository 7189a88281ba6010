package docs

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

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

// The recipes of replay.md and change.md about replaying do what the page says.
func TestRecipes(t *testing.T) {
	t.Parallel()
	if os.Getenv("UNECHO_TEST_KAFKA") == "" {
		t.Skip("no Kafka: make test brings one")
	}
	bin := program(t)
	for name, recipe := range map[string]func(*testing.T, string){
		"replay": recipesOfBackfill, "new index": recipeOfNewIndex, "fill": recipeOfFill, "fill with files": recipeOfFillWithFiles,
		"offsets": recipeOfOffsets, "time": recipeOfTime, "lost journal": recipeOfLostJournal,
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
	k.prints("recipe: shared files")
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

// A search index is filled from the topic's beginning and goes on live, also as a service of its own, without a gap:
// what comes then is held against what was replayed.
func recipeOfNewIndex(t *testing.T, bin string) {
	k := newKitchen(t, bin, 2, feed()...)
	k.write("search.yaml", k.recipe("file: search.yaml")+"http: {listen: ''}\n")
	shown := k.recipe("recipe: search")
	line := (console{text: shown}).commands()[0]
	printed, stop := k.works(line, "this process worked")
	if got := "$ " + line + "\n" + printed; !shows(timeless(shown), timeless(got)) {
		t.Errorf("the page shows\n%sand it is\n%s", shown, got)
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
		"news/0/0": "unique", "news/0/3": "unique", "news/0/4": "duplicate news/0/3", "news/1/4": "unique",
		"news/1/5": "duplicate news/1/4",
	} {
		// of the live documents the one that comes second may be late
		if v := got[source]; len(v) != 1 || v[0] != want && !strings.HasPrefix(v[0], want+" late ") {
			t.Errorf("%s is %q, want %s", source, v, want)
		}
	}
}

// A new group is filled with what its topic holds: copies of that are duplicates then, and nothing of it comes out.
func recipeOfFill(t *testing.T, bin string) {
	documents, begin := feed(), time.Now().Add(-8*time.Hour)
	for i := range documents {
		documents[i].Timestamp = begin.Add(time.Duration(i) * time.Hour / 2)
	}
	k := newKitchen(t, bin, 2, documents...)
	k.prints("recipe: fill")
	_, stop := k.works("unecho run", `"message":"ready"`)
	k.send(at(1, "2026-03-01 09:00", lettered('A')), at(0, "2026-03-01 09:00", lettered('F')),
		at(1, "2026-03-01 09:00", lettered('D', 3)))
	got := k.verdicts(3, k.named("news.unique"), k.named("news.duplicate"))
	stop()
	for source, want := range map[string]string{
		"news/1/4": "duplicate news/0/0", "news/0/4": "unique",
		"news/1/5": "duplicate news/1/1",
	} {
		if v := got[source]; len(v) != 1 || v[0] != want {
			t.Errorf("%s is %q, want %s", source, v, want)
		}
	}
	_, stop = k.works("unecho run", `"message":"ready"`)
	k.send(at(1, "2026-03-01 09:00", lettered('E')))
	got = k.verdicts(4, k.named("news.unique"), k.named("news.duplicate"))
	stop()
	if v := got["news/1/6"]; len(got) != 4 || len(v) != 1 || v[0] != "duplicate news/0/3" {
		t.Errorf("after a restart: %q", got)
	}
}

// A new group is filled with files, which are not in its topic.
func recipeOfFillWithFiles(t *testing.T, bin string) {
	k := newKitchen(t, bin, 2)
	old := read(t, "deploy/examples/old.txt")
	k.write("old.txt", old)
	k.prints("recipe: fill files")
	_, stop := k.works("unecho run", `"message":"ready"`)
	k.send(at(0, "2026-03-01 09:00", []byte(strings.Split(old, "\n")[2]+"!")))
	got := k.verdicts(1, k.named("news.unique"), k.named("news.duplicate"))
	stop()
	if v := got["news/0/0"]; len(v) != 1 || v[0] != "duplicate unecho-backfill.news-filter.fill/0/2" {
		t.Errorf("a copy of a file's document is %q", v)
	}
}

// A group whose journal is gone is filled with what it forwarded as unique, and finds copies of what came before.
func recipeOfLostJournal(t *testing.T, bin string) {
	documents := feed()
	for i := range documents {
		documents[i].Timestamp = time.Now().Add(-time.Hour)
	}
	k := newKitchen(t, bin, 2, documents...)
	outputs := []string{k.named("news.unique"), k.named("news.duplicate")}
	_, stop := k.works("unecho run", `"message":"ready"`)
	first := k.verdicts(8, outputs...)
	stop()
	k.remove(k.named("news-filter.journal"))
	lines := (console{text: k.recipe("recipe: lost")}).commands()
	said, err := shell(k.within(), k.bin, k.dir, lines[0]).CombinedOutput()
	permits := regexp.MustCompile(`--accept-journal-gap \S+@0:[\w-]{22}`)
	permission := permits.FindString(string(said))
	if err != nil || permission == "" {
		t.Fatalf("the command %s ends with %v:\n%s", lines[0], err, said)
	}
	start := permits.ReplaceAllLiteralString(lines[1], permission)
	_, stop = k.works(start, `"message":"ready"`)
	k.send(at(1, "2026-03-01 09:00", lettered('A')), at(0, "2026-03-01 09:00", lettered('F')))
	all := k.verdicts(10, outputs...)
	stop()
	if len(first) != 8 || len(all) != 10 {
		t.Fatalf("%d documents came out, then %d", len(first), len(all))
	}
	if v := all["news/1/4"]; len(v) != 1 || !strings.HasPrefix(v[0], "duplicate news.unique/") {
		t.Errorf("a copy of what came before is %q", v)
	}
	if v := all["news/0/4"]; len(v) != 1 || v[0] != "unique" {
		t.Errorf("a new document is %q", v)
	}
	k.remove(k.named("news-filter.journal"))
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute) // a start waits for 45 s, for a journal that comes back
	defer cancel()
	now := ""
	for tries := 0; now == "" && err == nil && tries < 2; tries++ { // the broker may still be about to delete the topic
		said, err = shell(ctx, k.bin, k.dir, start).CombinedOutput()
		if now = permits.FindString(string(said)); now == "" && err != nil {
			t.Logf("a start ends with %v, and is repeated:\n%s", err, said)
			err = nil
		}
	}
	if err == nil || now == "" || now == permission {
		t.Errorf("the journal is lost again, and %s ends with %v:\n%s", start, err, said)
	}
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
		t.Fatalf("the command %s ends with %v:\n%s", lines[0], err, said)
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
	page := section(t, read(t, "deploy/docs/replay.md"), "## Time in a backfill")
	row := regexp.MustCompile("(?m)^\\| `news/(\\d)/(\\d+)` \\| ([^|]+) \\| ([A-Z]) \\| (\\w+) \\| (.*)\\|$")
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
	if said, err := shell(k.within(), k.bin, k.dir, k.named("unecho backfill --topic news --name repair")).
		CombinedOutput(); err != nil {
		t.Fatalf("the backfill ends with %v:\n%s", err, said)
	}
	got := k.verdicts(len(documents), k.named("news.backfill.repair.unique"), k.named("news.backfill.repair.duplicate"))
	for source, verdict := range want {
		if v := got[source]; len(v) != 1 || v[0] != verdict {
			t.Errorf("%s is %q, and the page says %s", source, v, verdict)
		}
	}
}
