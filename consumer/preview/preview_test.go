package preview

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/sink"
)

// previewOf makes the preview of values in a topic, without a cluster.
func previewOf(t *testing.T, change func(*document.Params), when []document.Condition, values ...string) *Preview {
	t.Helper()
	p := document.DefaultParams()
	p.Format, p.Fields = "json", []string{"title", "body"}
	change(&p)
	p.When = when
	reader, err := document.New(p)
	if err != nil {
		t.Fatal(err)
	}
	s := &Setup{
		Reader: reader, Index: index.DefaultParams(), Encoder: sink.New(sink.DefaultParams(), "test", "a"),
		MaxEntryBytes: int(journal.DefaultParams().MaxEntryBytes),
	}
	records := make([]*kgo.Record, 0, len(values))
	for i, value := range values {
		records = append(records, &kgo.Record{Topic: "news", Offset: int64(i), Timestamp: time.UnixMilli(1), Value: []byte(value)})
	}
	seen, err := s.of(t.Context(), unpack.New(unpack.Limits{Batch: 1 << 20}), "news", records)
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

// Each kind of outcome is counted and has an example, and a field that only some documents lack is no trouble.
func TestEachKindHasAnExample(t *testing.T) {
	t.Parallel()
	const good = `{"id":%d,"lang":"en","title":"Rain","body":"and sun"}`
	mixed := []string{
		fmt.Sprintf(good, 1), fmt.Sprintf(good, 2), fmt.Sprintf(good, 2), `{"lang":"en","title":"Rain"}`, `{"lang":"en","title":7,"body":""}`,
		`{"lang":"en"`, `{"lang":"de","title":"Regen"}`, `{"lang":"en","title":"","body":""}`,
	}
	seen := previewOf(t, func(p *document.Params) { p.ID, p.Reject = "field:id", nil }, []document.Condition{
		{Field: "lang", Equals: "en"}, {Field: "deleted", Exists: "false"}, {Field: "test", Not: "true"},
	}, mixed...)
	const want = "the newest of news: 5 judged, as news/0/0 (0 to 12 characters, 2 ids, no scope, 1 without a text, 1 without body); " +
		"1 rejected (wrong_type), as news/0/4: field title is a number, not a string; " +
		"1 rejected (invalid_json), as news/0/5: at byte 12: the value ends too early; 1 unchecked by sources.when, as news/0/6"
	if got := seen.String(); got != want {
		t.Errorf("the preview is\n%s\nwant\n%s", got, want)
	}
	if trouble := seen.Trouble(); trouble != nil {
		t.Errorf("the trouble is %+v, want none", trouble)
	}
}

// What most documents become, and what they lack, is trouble; none is where there are no documents.
func TestTrouble(t *testing.T) {
	t.Parallel()
	none := func(*document.Params) {}
	for name, c := range map[string]struct {
		change func(*document.Params)
		values []string
		want   string // its reason and its remedy; empty: none
	}{
		"no documents": {none, nil, ""},
		"most are rejected": {
			none,
			[]string{`{"title":"a","body":"b"}`, "a", "b"},
			"most documents would go to the rejected topic; correct sources.format or sources.schema",
		},
		"tombstones": {none, []string{"", ""}, "no document has a text: all go to the unique topic; correct sources.format or sources.text"},
		"names that cannot be shown": {
			none,
			[]string{`{"a\u0007":1,"` + strings.Repeat("x", 99) + `":1}`},
			"no document would be judged: all that are checked go to the rejected topic; correct title (sources.text); " +
				"correct body (sources.text); the documents have a?, " + strings.Repeat("x", longName),
		},
		"raw text that is none": {
			func(p *document.Params) { p.Format, p.Fields, p.ByDefault = "raw", nil, true },
			[]string{`{"a":1}`},
			"all are JSON objects, and no sources.format says so: their braces, names, ids and times are compared, too; set sources.format: json, " +
				"and sources.text to those that hold the text; the documents have a. If the whole value is meant, write sources.format: raw",
		},
		"raw text that somebody asked for": {func(p *document.Params) { p.Format, p.Fields = "raw", nil }, []string{`{"a":1}`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if trouble := previewOf(t, c.change, nil, c.values...).Trouble(); trouble != nil {
				got = trouble.Why + "; " + trouble.Remedy
			}
			if got != c.want {
				t.Errorf("the trouble is\n%q, want\n%q", got, c.want)
			}
		})
	}
}
