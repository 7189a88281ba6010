package topic_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/topic"
)

const minute = 60_000

// began is the time of the first record. Each later record follows after a minute.
func began() time.Time { return time.UnixMilli(1_800_000_000_000) }

// news is a topic of two partitions. Partition 0 has eight documents, then two of an aborted transaction and its
// marker. Partition 1 has two documents, then the marker of their transaction.
func news(t *testing.T) topic.Options {
	t.Helper()
	_, opts := cluster(t)
	return opts
}

func cluster(t *testing.T) (*kfake.Cluster, topic.Options) {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "news"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	opts := topic.Options{kgo.SeedBrokers(c.ListenAddrs()...)}
	client := func(more ...kgo.Opt) *kgo.Client {
		cl, err := kgo.NewClient(append(append(topic.Options{kgo.RecordPartitioner(kgo.ManualPartitioner())}, more...),
			opts...)...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(cl.Close)
		return cl
	}
	write(t, client(), 0, 0, 8)
	transact := client(kgo.TransactionalID("writer"))
	for _, tx := range []struct {
		partition int32
		from, to  int
		how       kgo.TransactionEndTry
	}{{1, 0, 2, kgo.TryCommit}, {0, 8, 10, kgo.TryAbort}} {
		if err := transact.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		write(t, transact, tx.partition, tx.from, tx.to)
		if err := transact.EndTransaction(t.Context(), tx.how); err != nil {
			t.Fatal(err)
		}
	}
	return c, opts
}

func write(t *testing.T, client *kgo.Client, partition int32, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		r := &kgo.Record{
			Topic: "news", Partition: partition, Value: fmt.Appendf(nil, "%d-%d", partition, i),
			Timestamp: began().Add(time.Duration(i) * minute * time.Millisecond),
			Headers:   []kgo.RecordHeader{{Key: "k", Value: []byte("v")}},
		}
		if err := client.ProduceSync(t.Context(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReadSpan(t *testing.T) {
	opts := news(t)
	at := func(minutes int) time.Time { return began().Add(time.Duration(minutes) * minute * time.Millisecond) }
	all := []string{"0-0", "0-1", "0-2", "0-3", "0-4", "0-5", "0-6", "0-7", "1-0", "1-1"}
	for _, test := range []struct {
		name string
		span topic.Span
		want []string
	}{
		{"all that is committed", topic.Span{}, all},
		{"a time range", topic.Span{From: at(1), To: at(4)}, []string{"0-1", "0-2", "0-3", "1-1"}},
		{"from a time on", topic.Span{From: at(6)}, []string{"0-6", "0-7"}},
		{"up to a time", topic.Span{To: at(1)}, []string{"0-0", "1-0"}},
		{"of the future", topic.Span{From: at(1000)}, nil},
		{"the newest: of 3 offsets two are aborted and one a marker", topic.Span{Last: 7}, []string{"0-7", "1-0", "1-1"}},
		{"more than there are", topic.Span{Last: 1000}, all},
		{"the newest of a time range", topic.Span{From: at(1), Last: 4}, []string{"1-1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			var got []string
			err := topic.ReadSpan(ctx, opts, "news", test.span, func(r *topic.Record) error {
				if r.Header("k") != "v" || r.Topic != "news" {
					t.Errorf("ReadSpan reads %+v; want a record of news with the header k=v", r)
				}
				got = append(got, string(r.Value))
				return nil
			})
			if slices.Sort(got); err != nil || !slices.Equal(got, test.want) {
				t.Errorf("got %v, %v; want %v", got, err, test.want)
			}
		})
	}
	stopped := errors.New("enough")
	if err := topic.ReadSpan(t.Context(), opts, "news", topic.Span{},
		func(*topic.Record) error { return stopped }); !errors.Is(err, stopped) {
		t.Errorf("an error of the reader: %v", err)
	}
	if err := topic.ReadSpan(t.Context(), opts, "gnus", topic.Span{}, nil); !errors.Is(err, broker.ErrMissing) {
		t.Errorf("a topic that is not there: %v", err)
	}
}

func TestReadAt(t *testing.T) {
	opts := news(t)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	for _, test := range []struct {
		partition int32
		offset    int64
		want      string
	}{
		{0, 0, "0-0"},
		{0, 7, "0-7"},
		{1, 1, "1-1"},
		{0, 9, ""},  // aborted
		{1, 2, ""},  // a marker
		{0, 99, ""}, // not written
		{7, 0, ""},  // no such partition
	} {
		r, err := topic.ReadAt(ctx, opts, "news", test.partition, test.offset)
		switch {
		case test.want == "" && !errors.Is(err, topic.ErrNoRecord):
			t.Errorf("ReadAt of %d/%d = %+v, error %v; want ErrNoRecord", test.partition, test.offset, r, err)
		case test.want != "" && (err != nil || string(r.Value) != test.want || r.Offset != test.offset):
			t.Errorf("%d/%d: %+v, %v; want %s", test.partition, test.offset, r, err, test.want)
		}
	}
	if _, err := topic.ReadAt(ctx, opts, "gnus", 0, 0); !errors.Is(err, broker.ErrMissing) {
		t.Errorf("a topic that is not there: %v", err)
	}
}

// A topic that is deleted before it is read, or meanwhile, ends the reading. The client alone would wait for ever.
func TestReadDeleted(t *testing.T) {
	opts := news(t)
	client, err := kgo.NewClient(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	err = topic.ReadPart(ctx, opts, "gnus", 0, 0, 99, nil)
	if !errors.Is(err, broker.ErrMissing) {
		t.Errorf("a topic that was deleted before: %v", err)
	}
	err = topic.ReadPart(ctx, opts, "news", 0, 0, 99, func(r *topic.Record) error {
		if r.Offset > 0 {
			return nil
		}
		_, err := kadm.NewClient(client).DeleteTopic(ctx, "news")
		return err
	})
	if !errors.Is(err, broker.ErrMissing) {
		t.Errorf("a topic that was deleted meanwhile: %v", err)
	}
}

// A topic that brings nothing for a while and is still there is read on.
func TestReadSilent(t *testing.T) {
	c, opts := cluster(t)
	client, err := kgo.NewClient(append(opts, kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var read atomic.Bool
	c.ControlKey(int16(kmsg.Metadata), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		if read.Swap(false) { // it was silent, so the topic is looked for
			client.Produce(ctx, &kgo.Record{Topic: "news", Value: []byte("late")}, nil)
		}
		return nil, nil, false
	})
	last := ""
	err = topic.ReadPart(ctx, opts, "news", 0, 0, 12, func(r *topic.Record) error {
		last = string(r.Value)
		read.Store(r.Offset == 7)
		return nil
	})
	if err != nil || last != "late" {
		t.Errorf("the last is %q, %v", last, err)
	}
}
