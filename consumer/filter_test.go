package consumer

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/filter"
	"github.com/unecho/unecho/sink"
)

// A program that uses index/filter gets the verdicts of a service about the same texts in the same order, as the headers of
// the outputs say them.
func TestFilterDecidesAlike(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*index.DuplicatesParams){
		"defaults":  func(*index.DuplicatesParams) {},
		"threshold": func(p *index.DuplicatesParams) { p.Threshold = 0.6 },
		"documents": func(p *index.DuplicatesParams) { p.Remember.Documents = 100 },
		"age":       func(p *index.DuplicatesParams) { p.Remember.Clock, p.Remember.Age = "event", 2*time.Hour },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			p := w.setup.Index
			change(&p.Duplicates)
			written(p)(&w.setup)
			w.setup.Sources[0].Reading.ID, w.setup.Sources[0].Reading.Scope = "key", "header:tenant"
			records := adverts(t)
			w.send(records...)
			m := w.start(named("m"))
			w.settled()
			w.ended(m)
			got := w.verdictsOf(len(records))
			p.Duplicates.Remember.Clock = "arrival" // a filter has one clock, the times of its documents
			f, err := filter.New(p)
			if err != nil {
				t.Fatal(err)
			}
			copies := 0
			for i, r := range records {
				v, err := f.Judge(filter.Document{ID: string(r.Key), Text: r.Value, Time: r.Timestamp, Scope: string(r.Headers[0].Value)})
				if err != nil {
					t.Fatal(err)
				}
				want := "unique"
				if v.Copy {
					want = fmt.Sprintf("duplicate %s %.4f %s %d %s", v.Of.ID, v.Similarity, v.Method, v.Ordinal, v.Of.Time.Format("2006-01-02T15:04:05.000Z"))
					copies++
				}
				if got[i] != want {
					t.Fatalf("document %d: the service says %s, the filter %s", i, got[i], want)
				}
			}
			if copies < 20 {
				t.Errorf("%d documents of %d are copies, want more to compare", copies, len(records))
			}
		})
	}
}

// adverts are documents a minute apart, of two tenants and some without text; that the shared data are absent is said, not
// hidden.
func adverts(t *testing.T) (records []*kgo.Record) {
	t.Helper()
	name := filepath.Join(os.Getenv("UNECHO_TEST_DATA"), "kijiji-rome-rent", "dataset_rent_rome_kijiji.tsv")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Skipf("shared data absent: %s is not there; UNECHO_TEST_DATA names its directory", name)
	}
	from := time.Now().Add(-72 * time.Hour).Truncate(time.Millisecond)
	for i, line := range strings.Split(string(data), "\n")[1:1201] {
		if i%50 == 10 {
			line = " "
		}
		records = append(records, &kgo.Record{
			Key: []byte(strconv.Itoa(i)), Value: []byte(line), Timestamp: from.Add(time.Duration(i) * time.Minute),
			Headers: []kgo.RecordHeader{{Key: "tenant", Value: []byte{"ab"[i%3%2]}}},
		})
	}
	return records
}

// verdictsOf are the verdicts about n documents whose keys are their numbers.
func (w *world) verdictsOf(n int) map[int]string {
	w.t.Helper()
	cl := w.client(kgo.ConsumeTopics("news.unique", "news.duplicate"), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	all := map[int]string{}
	for len(all) < n {
		fetches := cl.PollFetches(w.context())
		if err := fetches.Err(); err != nil {
			w.t.Fatalf("%d of %d verdicts: %v", len(all), n, err)
		}
		for _, r := range fetches.Records() {
			i, err := strconv.Atoi(string(r.Key))
			if err != nil {
				w.t.Fatal(err)
			}
			said := []string{headerOf(r, sink.HeaderVerdict)}
			if said[0] == "duplicate" {
				for _, name := range []string{sink.HeaderMatchID, sink.HeaderSimilarity, sink.HeaderMethod, sink.HeaderCopy, sink.HeaderMatchTime} {
					said = append(said, headerOf(r, name))
				}
			}
			all[i] = strings.Join(said, " ")
		}
	}
	return all
}
