package ops

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/rs/zerolog"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// TestList lists all metrics: dashboards, alerts and docs are compared with the list.
func TestList(t *testing.T) {
	helps, types, labels := map[string]string{}, map[string]string{}, map[string]*labelled{}
	sample := regexp.MustCompile(`^(\w+?)(?:_bucket|_sum|_count)?\{(.+)\}`)
	for line := range strings.Lines(string(page(t, full(), used()))) {
		kind, rest, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "# "), " ")
		name, text, _ := strings.Cut(rest, " ")
		switch kind {
		case "HELP":
			helps[name] = text
		case "TYPE":
			types[name] = text
		}
		if m := sample.FindStringSubmatch(line); m != nil {
			if labels[m[1]] == nil {
				labels[m[1]] = &labelled{values: map[string][]string{}}
			}
			labels[m[1]].add(m[2])
		}
	}
	for _, m := range metrics() {
		if helps[m.name] == "" || types[m.name] == "" {
			t.Errorf("%s is not shown by full stats", m.name)
		}
	}
	var b bytes.Buffer
	fmt.Fprintln(&b, "# name\ttype\thelp")
	for _, name := range slices.Sorted(maps.Keys(helps)) {
		fmt.Fprintf(&b, "%s%s\t%s\t%s\n", name, labels[name], types[name], helps[name])
	}
	golden(t, "testdata/metrics.txt", b.Bytes())
	golden(t, "../../../deploy/docs/metrics.md", documented(helps, types, labels))
}

func documented(helps, types map[string]string, labels map[string]*labelled) []byte {
	var b bytes.Buffer
	b.WriteString(`# Metrics

` + "`/metrics`" + ` has these metrics, and in ` + "`# HELP`" + ` when to worry. A value that is not known is absent, and so is a bound that
is not set. Begin with [these](api.md#health-and-metrics). A process also has those of the Go runtime (` + "`go_`" + ` and
` + "`process_`" + `). Names in ` + "`_total`" + ` are counters, the others gauges or histograms.

| metric and labels | meaning |
| --- | --- |
`)
	for _, name := range slices.Sorted(maps.Keys(helps)) {
		if !strings.HasPrefix(name, "unecho_") {
			continue
		}
		labelled, kind := "", ""
		if l := labels[name]; l != nil && len(l.keys) > 0 {
			labelled = "{" + strings.Join(l.keys, ",") + "}"
		}
		if types[name] == "histogram" {
			kind = ", histogram"
		}
		fmt.Fprintf(&b, "| `%s%s`%s | %s |\n", name, labelled, kind, strings.ReplaceAll(firstSentence(helps[name]), "|", "\\|"))
	}
	return b.Bytes()
}

// firstSentence is what the page says of a metric. The rest of its help is advice, and stands where the value stands.
func firstSentence(help string) string {
	if end := regexp.MustCompile(`\. [A-Z]`).FindStringIndex(help); end != nil {
		return help[:end[0]+1]
	}
	return help
}

// labelled are the labels of a metric, with their values.
type labelled struct {
	keys   []string
	values map[string][]string
}

// add adds the labels of a sample, the bounds of buckets aside.
func (l *labelled) add(text string) {
	for _, m := range regexp.MustCompile(`(\w+)="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		if m[1] == "le" {
			continue
		}
		if !slices.Contains(l.keys, m[1]) {
			l.keys = append(l.keys, m[1])
		}
		if !slices.Contains(l.values[m[1]], m[2]) {
			l.values[m[1]] = append(l.values[m[1]], m[2])
		}
	}
}

// String writes each label with all its values; those of some are no closed set.
func (l *labelled) String() string {
	if l == nil || len(l.keys) == 0 {
		return ""
	}
	var all []string
	for _, key := range l.keys {
		if !slices.Contains([]string{"version", "topic", "partition", "node_id"}, key) {
			key = fmt.Sprintf("%s=%q", key, strings.Join(l.values[key], "|"))
		}
		all = append(all, key)
	}
	return "{" + strings.Join(all, ",") + "}"
}

func TestScrape(t *testing.T) {
	for _, c := range []struct {
		name  string
		stats consumer.Stats
	}{{"full", full()}, {"fresh", fresh()}} {
		t.Run(c.name, func(t *testing.T) {
			golden(t, "testdata/"+c.name+".txt", scrape(t, c.stats))
		})
	}
}

// page returns unecho's own part of what Prometheus reads.
func page(t *testing.T, s consumer.Stats, clients *Clients) []byte {
	t.Helper()
	w := httptest.NewRecorder()
	setup := Setup{Stats: statsOf(s), Ready: isReady(s.Ready), Clients: clients, Version: "v1.2.3", Logger: zerolog.Nop()}
	if clients != nil {
		setup.Certificate = opened(t)
	}
	newHandler(setup).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", http.NoBody))
	if w.Code != http.StatusOK {
		t.Fatalf("GET /metrics is answered %d %s; want %d", w.Code, w.Body.String(), http.StatusOK)
	}
	var b bytes.Buffer
	for line := range strings.Lines(w.Body.String()) {
		own := strings.TrimPrefix(strings.TrimPrefix(line, "# HELP "), "# TYPE ")
		if strings.HasPrefix(own, "unecho_") {
			b.WriteString(line)
		}
	}
	return b.Bytes()
}

func opened(t *testing.T) *Certificate {
	t.Helper()
	cert, key := filepath.Join(t.TempDir(), "tls.crt"), filepath.Join(t.TempDir(), "tls.key")
	pem, secret := newCertificate(t, 1)
	put(t, cert, pem)
	put(t, key, secret)
	shown, err := OpenCertificate(cert, key, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	return shown
}

func scrape(t *testing.T, s consumer.Stats) []byte {
	t.Helper()
	var b bytes.Buffer
	for line := range bytes.Lines(page(t, s, nil)) {
		if line[0] != '#' {
			b.Write(line)
		}
	}
	return b.Bytes()
}

// TestConsistent lets the library compare what is described with what is collected.
func TestConsistent(t *testing.T) {
	for _, s := range []consumer.Stats{full(), fresh(), {}} {
		r := prometheus.NewPedanticRegistry()
		r.MustRegister(newCollector(Setup{Stats: statsOf(s), Ready: isReady(true), Version: "v1.2.3"}))
		if _, err := r.Gather(); err != nil {
			t.Error(err)
		}
	}
}

func TestLint(t *testing.T) {
	problems, err := promlint.New(bytes.NewReader(page(t, full(), used()))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("promlint says of %s: %s; want no problem", p.Metric, p.Text)
	}
	for _, m := range metrics() {
		if !strings.HasPrefix(m.name, "unecho_") || !strings.HasSuffix(m.help, ".") {
			t.Errorf("the metric %s has the help %q; want a name that begins with unecho_, and a help with a full stop", m.name, m.help)
		}
	}
}

// TestSettings checks that the settings named in help texts exist.
func TestSettings(t *testing.T) {
	named := regexp.MustCompile(`\b(window|similarity|http|snapshot|journal)(\.[a-z_]+)+`)
	table := config.Table()
	found := 0
	for _, m := range metrics() {
		for _, key := range named.FindAllString(m.help, -1) {
			found++
			if !strings.Contains(table, "`"+key+"`") {
				t.Errorf("%s: there is no setting %s", m.name, key)
			}
		}
	}
	if found == 0 {
		t.Error("no help text names a setting")
	}
}

func TestDerived(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*consumer.Stats)
		want   string // a line; of a name alone, that it is absent
	}{
		{"a partition waits for an unknown time", func(*consumer.Stats) {}, `unecho_source_partition_lag_seconds{partition="0",topic="news"}`},
		{"an empty journal has no oldest record", func(s *consumer.Stats) { s.StartTime = 0 }, "unecho_journal_start_timestamp_seconds"},
		{"nothing is known of the journal", func(s *consumer.Stats) { s.JournalStart, s.JournalEnd = -1, -1 }, "unecho_journal_kept_records"},
		{"no checkpoint since the restore", func(s *consumer.Stats) { s.ConfirmedTime = 0 }, "unecho_replica_confirmed_timestamp_seconds"},
		{"an empty window has no oldest document", func(s *consumer.Stats) { s.Index.Documents = 0 }, "unecho_window_oldest_timestamp_seconds"},
		{"a window without a bound", func(s *consumer.Stats) { s.Bounds.Bytes = 0 }, "unecho_window_limit_bytes"},
		{"an end read before the last records came", func(s *consumer.Stats) { s.JournalEnd = s.JournalNext - 5 }, "unecho_journal_lag_records 0"},
		{"no end, no lag", func(s *consumer.Stats) { s.JournalEnd = -1 }, "unecho_journal_lag_records"},
		{"no lag of the source", func(s *consumer.Stats) { s.SourceLag = -1 }, "unecho_source_lag_documents"},
		{"caught up with the source", func(s *consumer.Stats) { s.SourceLag = 0 }, "unecho_source_lag_documents 0"},
		{"restored, nothing applied", func(s *consumer.Stats) { s.AppliedTime = 0 }, "unecho_journal_applied_timestamp_seconds"},
		{"nothing appended, no comparison of clocks", func(s *consumer.Stats) { s.ClockKnown = false }, "unecho_journal_clock_ahead_seconds"},
		{"an empty window has no age", func(s *consumer.Stats) { s.Index.Documents, s.Index.OldestApplied = 0, 0 }, "unecho_window_age_seconds 0"},
		{"a snapshot of an empty journal", func(s *consumer.Stats) { s.SnapshotNext = 0 }, "unecho_snapshot_offset 0"},
		{"not ready", func(s *consumer.Stats) { s.Ready = false }, "unecho_ready 0"},
		{"not ready yet does not hide the window", func(s *consumer.Stats) { s.Ready = false }, "unecho_window_documents 680"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := full()
			c.change(&s)
			got := string(scrape(t, s))
			_, value, _ := strings.Cut(c.want, " ")
			if has := strings.Contains("\n"+got, "\n"+c.want+"\n"); value != "" && !has {
				t.Errorf("no %q in\n%s", c.want, got)
			}
			if has := strings.Contains("\n"+got, "\n"+c.want); value == "" && has {
				t.Errorf("%s is not absent from\n%s", c.want, got)
			}
		})
	}
}

// TestEveryFigureIsShown changes each figure of the stats alone: every figure that rooms count must be shown somewhere.
func TestEveryFigureIsShown(t *testing.T) {
	unseen := []string{
		"Index.Records", "Index.Ignored", "Index.Segments", "Index.Changed", "Index.Erased", // inner workings
		"Standing.Trouble", "FileTrouble", "FileErr", // sentences, for /ready
		// for the API: labels of the group's other members, errors and texts are no closed set
		"GroupLags", "SnapshotBy", "SnapshotErr", "Member", "Settings", "LastRejected", "LastUnchecked", "LagErr",
		"Unique", "Duplicate", "Unchecked", // the sums over the topics
		// of all members, and since the restore: what is committed is counted
		"Index.Judged", "Index.Unique", "Index.Reemitted", "Index.Duplicate", "Index.Resent",
		"Index.Cuts.References", "Index.Cuts.Candidates", "Index.Cuts.Work", // for files: here Full and Unverified tell the bounds apart
	}
	base := scrape(t, full())
	var seen []string
	s := full()
	var walk func(v reflect.Value, path string)
	walk = func(v reflect.Value, path string) {
		if path == "Params" { // for the API; of the settings in force the bounds are figures, and Bounds has them
			return
		}
		if v.Kind() == reflect.Struct {
			for i := range v.NumField() {
				walk(v.Field(i), strings.TrimPrefix(path+"."+v.Type().Field(i).Name, "."))
			}
			return
		}
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		v.Set(changed(t, path, v))
		if shown := !bytes.Equal(scrape(t, s), base); shown == slices.Contains(unseen, path) {
			t.Errorf("%s: shown %v", path, shown)
		}
		v.Set(old)
		seen = append(seen, path)
	}
	walk(reflect.ValueOf(&s).Elem(), "")
	for _, path := range unseen {
		if !slices.Contains(seen, path) {
			t.Errorf("there is no %s", path)
		}
	}
}

// changed returns another value of the same type.
func changed(t *testing.T, path string, v reflect.Value) reflect.Value {
	t.Helper()
	if path == "LagErr" {
		return reflect.ValueOf(io.ErrUnexpectedEOF)
	}
	switch x := v.Interface().(type) {
	case int, int64:
		return reflect.ValueOf(v.Int() + 1).Convert(v.Type())
	case uint64:
		return reflect.ValueOf(x + 1)
	case time.Duration:
		return reflect.ValueOf(x + time.Second)
	case []consumer.Verdicts:
		x = slices.Clone(x)
		x[0].Unique++
		return reflect.ValueOf(x)
	case []consumer.PartitionLag:
		return reflect.ValueOf(x[1:])
	case *member.Failure:
		return reflect.ValueOf(&member.Failure{Err: io.ErrUnexpectedEOF})
	case []consumer.Waiting:
		return reflect.ValueOf(append([]consumer.Waiting{{PartitionName: entry.Name("news", 0)}}, x...))
	case []consumer.Untaken:
		return reflect.ValueOf(append([]consumer.Untaken{{Topic: "blogs"}}, x...))
	case float64:
		return reflect.ValueOf(x + 1)
	case bool:
		return reflect.ValueOf(!x)
	case string:
		return reflect.ValueOf(x + "!")
	case []byte:
		return reflect.ValueOf(append(slices.Clip(x), '!'))
	case []uint64:
		x = slices.Clone(x)
		x[0]++
		return reflect.ValueOf(x)
	case []float64:
		x = slices.Clone(x)
		x[0] /= 2
		return reflect.ValueOf(x)
	case map[journal.Reason]uint64:
		return reflect.ValueOf(map[journal.Reason]uint64{journal.Foreign: 1})
	case map[sink.UncheckedReason]uint64:
		return reflect.ValueOf(map[sink.UncheckedReason]uint64{sink.InOutage: 1})
	case map[sink.Reason]uint64:
		return reflect.ValueOf(map[sink.Reason]uint64{sink.Empty: 1})
	case map[sink.Reason][]consumer.Example:
		return reflect.ValueOf(map[sink.Reason][]consumer.Example{sink.Empty: {{Offset: 1}}})
	case map[sink.UncheckedReason][]consumer.Example:
		return reflect.ValueOf(map[sink.UncheckedReason][]consumer.Example{sink.InOutage: {{Offset: 1}}})
	}
	t.Fatalf("%s is a %s", path, v.Type())
	return v
}
