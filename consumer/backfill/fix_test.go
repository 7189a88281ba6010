package backfill

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/topic"
)

// world is a cluster with the topics news, of two partitions, and blog, of one. news/0 has ten records at minutes 0
// to 9 of hour, of which the first three are deleted. news/1 has four, at minutes 20 to 23. blog is empty.
func world(t *testing.T) topic.Options {
	_, opts := newCluster(t)
	return opts
}

// newCluster is world, and the cluster itself.
func newCluster(t *testing.T) (*kfake.Cluster, topic.Options) {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "news"), kfake.SeedTopics(1, "blog"))
	check(t, err)
	t.Cleanup(c.Close)
	opts := topic.Options{kgo.SeedBrokers(c.ListenAddrs()...), kgo.MetadataMinAge(10 * time.Millisecond)}
	client, err := kgo.NewClient(append(opts, kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.DefaultProduceTopic("news"))...)
	check(t, err)
	t.Cleanup(client.Close)
	for minute := range 10 {
		check(t, client.ProduceSync(t.Context(), &kgo.Record{Timestamp: hour.Add(time.Duration(minute) * time.Minute)}).FirstErr())
	}
	for minute := range 4 {
		check(t, client.ProduceSync(t.Context(), &kgo.Record{
			Partition: 1,
			Timestamp: hour.Add(time.Duration(20+minute) * time.Minute),
		}).FirstErr())
	}
	deleted := kadm.Offsets{}
	deleted.Add(kadm.Offset{Topic: "news", Partition: 0, At: 3})
	done, err := kadm.NewClient(client).DeleteRecords(t.Context(), deleted)
	check(t, err)
	check(t, done.Error())
	return c, opts
}

var hour = time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func bound(t testing.TB, text string) Bound {
	t.Helper()
	b, err := ParseBound(text, hour.Add(time.Hour))
	check(t, err)
	return b
}

func fix(ctx context.Context, t *testing.T, opts topic.Options, topics, from,
	to string,
) (string, *protocol.Plan, error) {
	t.Helper()
	r := Request{Topics: strings.Split(topics, ","), From: bound(t, from), To: bound(t, to)}
	plan, err := Fix(ctx, opts, r, hour.Add(time.Hour))
	if err != nil {
		return "", nil, err
	}
	var parts []string
	for _, r := range plan.Ranges {
		parts = append(parts, fmt.Sprintf("%s/%d %d-%d", r.Topic, r.Source.Partition, r.From, r.To))
	}
	return strings.Join(parts, ", "), plan, nil
}

func TestFix(t *testing.T) {
	opts := world(t)
	for _, c := range []struct{ topics, from, to, want string }{
		{"news", "start", "end", "news/0 3-10, news/1 0-4"},
		{"news,blog,news", "start", "end", "blog/0 0-0, news/0 3-10, news/1 0-4"},
		{"news", "2026-01-01T09:05", "2026-01-01T09:21", "news/0 5-10, news/1 0-1"},
		{"news", "2025-01-01", "2026-01-01T09:05:00.001Z", "news/0 3-6, news/1 0-0"},
		{"news", "2026-01-01T09:22", "end", "news/0 10-10, news/1 2-4"},
		{"news", "-30m", "end", "news/0 10-10, news/1 4-4"},
		{"news", "2025-01-01", "2025-02-01", "news/0 3-3, news/1 0-0"},
		{"news", "3", "4", "news/0 3-4, news/1 3-4"},
		{"news", "0=4,1=1", "0=10,1=1", "news/0 4-10, news/1 1-1"},
		{"news", "1=1", "end", "news/0 3-3, news/1 1-4"},
		{"news", "start", "0=7", "news/0 3-7, news/1 0-0"},
		{"blog,news", "blog/0=0,news/1=2", "end", "blog/0 0-0, news/0 3-3, news/1 2-4"},
	} {
		got, plan, err := fix(t.Context(), t, opts, c.topics, c.from, c.to)
		if err != nil || got != c.want {
			t.Errorf("%s from %s to %s: %s, %v; want %s", c.topics, c.from, c.to, got, err, c.want)
			continue
		}
		if plan.Fixed != hour.Add(time.Hour).UnixMilli() || plan.From != c.from || plan.To != c.to ||
			plan.Ranges[0].Source.Topic == [16]byte{} {
			t.Errorf("%s from %s to %s: %+v", c.topics, c.from, c.to, plan)
		}
	}
}

// What is wrong with a range is said with what to do.
func TestFixRefuses(t *testing.T) {
	opts := world(t)
	for _, c := range []struct{ topics, from, to, says, remedy string }{
		{"news", "2", "end", "the range is partly deleted: news/0 begins at offset 3, and --from says 2", "--from start"},
		{"news", "start", "0=1", "the range is partly deleted: news/0 begins at offset 3, and --to says 1", "offset 3"},
		{"news", "start", "0=11", "the range lies beyond the end: news/0 ends at offset 10", "--to end"},
		{"news", "1=5", "end", "the range lies beyond the end: news/1 ends at offset 4", "--to end"},
		{"news", "0=6", "0=5", "the range of news/0 is reversed: it begins at 6 and ends at 5", "exchange"},
		{"news", "2026-01-01T09:05", "2026-01-01T09:04", "the range is reversed", "exchange"},
		{"news", "2026-01-01T09:05", "0=4", "the range of news/0 is reversed: it begins at 5 and ends at 4", "exchange"},
		{"news", "start", "2026-02-01", "--to 2026-02-01 lies in the future", "--to end"},
		{"news", "2026-02-01", "end", "--from 2026-02-01 lies in the future", "--to end"},
		{"news", "end", "end", "leaves nothing to read", "where the range begins"},
		{"news", "start", "start", "leaves nothing to read", "where the range ends"},
		{"news", "2=0", "end", "names partition 2, and topic news has 2, numbered from 0", "correct"},
		{"news,blog", "0=4", "end", "does not say of which topic partition 0 is", "blog/0=OFFSET"},
		{"news", "blog/0=0", "end", "names topic blog, which is not read", "--topic blog"},
		{"news,blog", "news/0=4", "end", "no partition of topic blog is named", "take the topic out"},
		{"news", "0=4", "0=10,1=2", "only one of --from and --to has an offset of news/1", "name the same partitions"},
	} {
		got, _, err := fix(t.Context(), t, opts, c.topics, c.from, c.to)
		var told *stop.Error
		if !errors.As(err, &told) || !strings.Contains(told.What, c.says) || !strings.Contains(told.Remedy, c.remedy) {
			t.Errorf("%s from %s to %s: %s, %v; want %q, %q", c.topics, c.from, c.to, got, err, c.says, c.remedy)
		}
	}
	if _, _, err := fix(t.Context(), t, opts, "news,gone,lost", "start", "end"); err == nil ||
		!strings.Contains(err.Error(), "cannot find gone, lost") {
		t.Errorf("unknown topics: %v", err)
	}
	r := Request{Topics: []string{"news"}, From: bound(t, "1=0"), To: End(), Gapless: true}
	if _, err := Fix(t.Context(), opts, r, hour); err == nil ||
		!strings.Contains(err.Error(), "1 of the 2 partitions of topic news are named") {
		t.Errorf("with a gap: %v", err)
	}
}
