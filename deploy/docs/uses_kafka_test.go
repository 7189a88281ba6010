package docs

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// TestThreeUses runs the command of each of the three uses, with its file of deploy/examples, on a real Kafka.
func TestThreeUses(t *testing.T) {
	t.Parallel()
	if os.Getenv("UNECHO_TEST_KAFKA") == "" {
		t.Skip("no Kafka: make test brings one")
	}
	bin := program(t)
	for name, use := range map[string]func(*testing.T, string){
		"feed filter": useFeedFilter, "ingestion gateway": useGateway, "backfill": useBackfill,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			use(t, bin)
		})
	}
}

// example writes a file of deploy/examples with this test's broker, and names: pairs of what stands there and what
// takes its place.
func (k *kitchen) example(file string, names ...string) {
	k.t.Helper()
	text := read(k.t, "deploy/examples/"+file)
	for i := 0; i < len(names); i += 2 {
		if !strings.Contains(text, names[i]) {
			k.t.Fatalf("%s has no %q", file, names[i])
		}
	}
	names = append(names, "localhost:9092", k.brokers)
	k.write(file, strings.NewReplacer(names...).Replace(text)+"http: {listen: ''}\n")
}

// command is the one of an example, with the file where the test has it.
func (k *kitchen) command(file string) string {
	k.t.Helper()
	return strings.ReplaceAll(commandOf(k.t, file), "deploy/examples/", "")
}

func (k *kitchen) judged(got map[string][]string, want map[string]string) {
	k.t.Helper()
	for source, verdict := range want {
		if v := got[source]; len(v) != 1 || v[0] != verdict {
			k.t.Errorf("%s is %q, want %s", source, v, verdict)
		}
	}
}

// An article is compared by title and body, whatever else is told of it.
func useFeedFilter(t *testing.T, bin string) {
	article := func(n int, title string, text []byte) *kgo.Record {
		return at(0, "2026-03-01 09:00", fmt.Appendf(nil, `{"id":"a-%d","agency":"agency %d","title":%q,"body":%q}`, n, n,
			title, text))
	}
	k := newKitchen(t, bin, 1, article(1, "The bridge", lettered('A')), article(2, "The Bridge!", lettered('A', 29)),
		article(3, "The bridge", lettered('B')))
	k.example("feed-filter.yaml", "[news]", "["+k.name+"]", "group: feed-filter", "group: "+k.name+"-filter")
	_, stop := k.works(k.command("feed-filter.yaml"), `"message":"ready"`)
	got := k.verdicts(3, k.name+".unique", k.name+".duplicate", k.name+".rejected")
	stop()
	k.judged(got, map[string]string{"news/0/0": "unique", "news/0/1": "duplicate news/0/0", "news/0/2": "unique"})
}

// A tenant's text is held against that tenant's alone, without its markup; what has no text is rejected.
func useGateway(t *testing.T, bin string) {
	text := func(n int, tenant, value string) *kgo.Record {
		r := at(0, "2026-03-01 09:00", fmt.Appendf(nil, `{"id":"t-%d","text":%q}`, n, value))
		r.Headers = []kgo.RecordHeader{{Key: "tenant", Value: []byte(tenant)}}
		return r
	}
	said := string(lettered('A'))
	k := newKitchen(t, bin, 1, text(1, "one", said), text(2, "other", said), text(3, "one", "<p>"+said+"</p>"),
		text(4, "one", ""))
	k.example("ingestion-gateway.yaml", "[ingest]", "["+k.name+"]", "group: ingestion-gateway", "group: "+k.name+"-gateway",
		"ingest.accepted", k.name+".accepted", "ingest.copies", k.name+".copies", "ingest.rejected", k.name+".rejected")
	_, stop := k.works(k.command("ingestion-gateway.yaml"), `"message":"ready"`)
	got := k.verdicts(4, k.name+".accepted", k.name+".copies", k.name+".rejected")
	stop()
	k.judged(got, map[string]string{
		"news/0/0": "unique", "news/0/1": "unique", "news/0/2": "duplicate news/0/0", "news/0/3": "rejected",
	})
}

// A job with an end: within thirty days of the documents' own time a copy is found, later not.
func useBackfill(t *testing.T, bin string) {
	dated := func(when string, letter byte) *kgo.Record {
		return at(0, when, fmt.Appendf(nil, `{"id":"%s","title":"","body":%q}`, when, lettered(letter)))
	}
	k := newKitchen(t, bin, 1, dated("2026-01-01 09:00", 'A'), dated("2026-01-02 09:00", 'B'),
		dated("2026-01-21 09:00", 'A'),
		dated("2026-03-02 09:00", 'B'))
	k.example("backfill.yaml", "[archive]", "["+k.name+"]", "group: archive", "group: "+k.name+"-archive")
	line := strings.NewReplacer("--topic archive", "--topic "+k.name, "--name archive", "--name "+k.name+"-archive").
		Replace(k.command("backfill.yaml"))
	if said, err := shell(k.within(), k.bin, k.dir, line).CombinedOutput(); err != nil {
		t.Fatalf("the command %s ends with %v:\n%s", line, err, said)
	}
	outputs := k.name + ".backfill." + k.name + "-archive."
	got := k.verdicts(4, outputs+"unique", outputs+"duplicate", outputs+"rejected")
	k.judged(got, map[string]string{
		"news/0/0": "unique", "news/0/1": "unique", "news/0/2": "duplicate news/0/0", "news/0/3": "unique",
	})
}
