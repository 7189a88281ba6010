package topic

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/consumer/unpack/unpacktest"
	"github.com/unecho/unecho/index/entry"
)

// A record that the client brings a second time is one record.
func TestRecordsBroughtAgain(t *testing.T) {
	p := entry.Name("news.unique", 5)
	var got []int64
	g := reading{left: Range{p: {2, 6}}, waiting: map[entry.PartitionName]*waiting{}, fn: offsets(&got)}
	for _, offset := range []int64{2, 3, 2, 3, 4, 5, 5, 6} {
		if err := g.take(&kgo.Record{Topic: p.Topic, Partition: p.Partition, Offset: offset}); err != nil {
			t.Fatal(err)
		}
	}
	if want := []int64{2, 3, 4, 5}; !slices.Equal(got, want) || len(g.left) > 0 {
		t.Errorf("the reader takes the offsets %v and has %v left; want %v, and nothing left", got, g.left, want)
	}
}

func offsets(all *[]int64) func(*kgo.Record) error {
	return func(r *kgo.Record) error {
		*all = append(*all, r.Offset)
		return nil
	}
}

// A broker may give records of aborted transactions to a reader of committed ones. The markers tell. What has none
// before the end, and what is too much to wait, is taken as the broker says.
func TestAbortedRecordsThatABrokerGives(t *testing.T) {
	end := func(key ...byte) *kgo.Record { return &kgo.Record{Key: key} }
	of := func(producer int64, r *kgo.Record) *kgo.Record {
		r.ProducerID = producer
		r.Attrs = kgo.NewRecordAttrs(kgo.RecordAttrsOpts{Transactional: true, Control: r.Key != nil})
		return r
	}
	abort, commit := []byte{0, 0, 0, 0}, []byte{0, 0, 0, 1}
	written := []*kgo.Record{
		of(1, &kgo.Record{}), of(1, end(abort...)), // 0
		of(1, &kgo.Record{}), of(2, &kgo.Record{}), {}, of(1, end(abort...)), of(2, end(commit...)), // 2
		of(2, &kgo.Record{}), of(1, end(abort...)), of(2, end(commit...)), of(1, &kgo.Record{}), // 7
	}
	for most, want := range map[int][]int64{mostWaiting: {3, 4, 7, 10}, 450: {2, 3, 4, 7, 10}} {
		p := entry.Name("news.unique", 5)
		var got []int64
		g := reading{
			left: Range{p: {To: int64(len(written))}}, waiting: map[entry.PartitionName]*waiting{}, room: most, fn: offsets(&got),
		}
		for offset, r := range written {
			r.Topic, r.Partition, r.Offset = p.Topic, p.Partition, int64(offset)
			if err := g.take(r); err != nil {
				t.Fatal(err)
			}
		}
		if g.room != most {
			t.Errorf("where %d bytes may wait the reader has room for %d in the end, want the same", most, g.room)
		}
		if !slices.Equal(got, want) {
			t.Errorf("where %d bytes may wait the reader takes the offsets %v, want %v", most, got, want)
		}
	}
}

// TestRoomIsOfAllPartitions: where the records that wait are too many together, the broker's word counts for the
// partition that takes one more, though it has few.
func TestRoomIsOfAllPartitions(t *testing.T) {
	open := func(partition int32, offset int64) *kgo.Record {
		r := &kgo.Record{Topic: "news.unique", Partition: partition, Offset: offset, ProducerID: 1}
		r.Attrs = kgo.NewRecordAttrs(kgo.RecordAttrsOpts{Transactional: true})
		return r
	}
	var got []int64
	g := reading{
		left: Range{entry.Name("news.unique", 0): {To: 100}, entry.Name("news.unique", 1): {To: 100}}, waiting: map[entry.PartitionName]*waiting{},
		room: 3 * size(open(0, 0)), fn: offsets(&got),
	}
	for _, r := range []*kgo.Record{open(0, 1), open(0, 2), open(1, 11), open(1, 12)} {
		if err := g.take(r); err != nil {
			t.Fatal(err)
		}
	}
	if want := []int64{11, 12}; !slices.Equal(got, want) {
		t.Errorf("where three records may wait, of two in each of two partitions the reader takes %v, want %v", got, want)
	}
}

// TestBehindUnreadable: reading goes on behind a batch that cannot be unpacked, and tells which part that is. Without Unread
// the batch ends reading.
func TestBehindUnreadable(t *testing.T) {
	t.Parallel()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "news"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	opts := Options{kgo.SeedBrokers(cluster.ListenAddrs()...)}
	client, err := kgo.NewClient(append(opts, kgo.DefaultProduceTopic("news"))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	produce := func() {
		if err := client.ProduceSync(t.Context(), &kgo.Record{Value: []byte("a document")}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	produce()
	garbage := unpacktest.Batch(3, kgo.CodecZstd, bytes.Repeat([]byte{0xa5}, 200))
	if _, err := unpacktest.Drop(t.Context(), client, "news", 0, garbage); err != nil {
		t.Fatal(err)
	}
	produce()
	all := Range{entry.Name("news", 0): {0, 5}}
	by := Reading{Options: opts, Unpacker: unpack.New(unpack.Limits{Batch: 1 << 20, Held: 2 << 20})}
	var got []int64
	var tooLarge *kgo.ErrDecompressTooLarge
	if err := all.Read(t.Context(), by, offsets(&got)); !errors.As(err, &tooLarge) || !slices.Equal(got, []int64{0}) {
		t.Errorf("a batch cannot be unpacked, the offsets read are %v, and the error is %v", got, err)
	}
	got, by.Unpacker = nil, by.Unpacker.Renew()
	var unread []Part
	by.Unread = func(of Part) error {
		unread = append(unread, of)
		return nil
	}
	if err := all.Read(t.Context(), by, offsets(&got)); err != nil || !slices.Equal(got, []int64{0, 4}) {
		t.Errorf("the offsets read are %v, and the error is %v; want 0 and 4", got, err)
	}
	if !slices.Equal(unread, []Part{{1, 4}}) {
		t.Errorf("unread are %v, want the part from 1 to below 4", unread)
	}
}
