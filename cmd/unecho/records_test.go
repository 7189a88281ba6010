package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/cmd/internal/exit"
)

// newsCluster is a cluster with a topic of JSON documents, 30 in each of partitions 0 and 3, a minute apart, of which
// the last in 0 has no text. It returns a configuration file for it.
func newsCluster(t *testing.T, began time.Time) (file string) {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(4, "news"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for i := range 60 {
		text := fmt.Sprintf("document %d of a topic tells at some length what happened %d times", i/2, i/2)
		if i == 58 {
			text = " "
		}
		value := fmt.Appendf(nil, `{"body":%q,"words":["a%d","b"]}`, text, i/4)
		record := &kgo.Record{
			Topic: "news", Partition: int32(i % 2 * 3), Value: value,
			Timestamp: began.Add(time.Duration(i/2) * time.Minute),
		}
		if err := client.ProduceSync(t.Context(), record).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	file = filepath.Join(t.TempDir(), "unecho.yaml")
	config := fmt.Sprintf("kafka:\n  brokers: [%s]\nsources:\n  - format: json\n    text: [body]\n    reject: [empty, missing_field]\n",
		strings.Join(cluster.ListenAddrs(), ", "))
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func newsTime() time.Time { return time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC) }

func TestTuneReadsTopics(t *testing.T) {
	file := newsCluster(t, newsTime())
	for _, test := range []struct {
		name      string
		flags     string
		documents int
		pairs     int
	}{
		{"all, but for what would be rejected", "", 59, 29},
		{"the newest", "--documents 10", 9, 4},
		{"a time range", "--from 2026-11-21T08:10:00Z --to 2026-11-21T08:20:00Z", 20, 10},
		{"some of them, so many that there are copies", "--sample 40", 40, -1},
		{"tokens", "--tokens words --shingle word:1 --from 2026-11-21T08:10:00Z --to 2026-11-21T08:20:00Z", 20, 30},
	} {
		t.Run(test.name, func(t *testing.T) {
			args := []string{"--config", file, "--topic", "news", "--slots", "64", "--threshold", "0.9", "--shingle", "word:2"}
			report := tunedBy(t, append(args, strings.Fields(test.flags)...)...)
			if report.Documents != test.documents || test.pairs >= 0 && report.Sources[0].Pairs != test.pairs {
				t.Errorf("%d documents, %+v; want %d and %d pairs", report.Documents, report.Sources, test.documents, test.pairs)
			}
		})
	}
}

func TestExplainReadsRecords(t *testing.T) {
	file := newsCluster(t, newsTime())
	shown := string(printed(t, "explain", "--config", file, "--shingle", "word:2", "news/0/7", "news/3/7"))
	if !strings.Contains(shown, "duplicate: the normalised texts are equal") || !strings.Contains(shown, "64 bytes") {
		t.Errorf("explain of news/0/7 and news/3/7 prints\n%s\nwant a duplicate by equal texts, and 64 bytes", shown)
	}
	if shown := string(printed(t, "explain", "--config", file, "news/0/3",
		"document 3 of a topic")); !strings.Contains(shown, "[-tells") {
		t.Errorf("explain of news/0/3 and a part of its text prints\n%s\nwant tells marked as what the part lacks", shown)
	}
	scoped := []string{"explain", "--config", file, "--set", "sources.scope=partition", "--shingle", "word:2"}
	if shown := string(printed(t, append(scoped, "news/0/7", "news/3/7")...)); !strings.Contains(shown,
		"unique: they belong to different scopes") {
		t.Errorf("explain of two partitions prints\n%s\nwant unique, as they belong to different scopes", shown)
	}
	if shown := string(printed(t, append(scoped, "news/0/7",
		"Document 7 of a topic tells at some length what happened 7 times")...)); !strings.Contains(shown,
		"texts are equal") {
		t.Errorf("explain of news/0/7 and its text prints\n%s\nwant that the texts are equal", shown)
	}
	for arg, want := range map[string]string{
		"news/0/999": "read news/0/999: no record stands there",
		"news/9/1":   "read news/9/1: no record stands there",
		"gnus/0/1":   "cannot find gnus",
		"news/0/29":  "news/0/29 would be rejected: empty: ",
	} {
		var stdout, stderr bytes.Buffer
		if code := run([]string{"explain", "--config", file, arg, "a text"}, &stdout, &stderr); code != exit.Failed ||
			!strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit code %d, %s; want %q", arg, code, stderr.String(), want)
		}
	}
}
