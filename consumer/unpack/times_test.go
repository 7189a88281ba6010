package unpack

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/unpack/unpacktest"
)

// strange are timestamps that producers write by mistake, and those at which arithmetic breaks.
func strange() []int64 {
	all := []int64{
		-1, 0, 1, math.MinInt64, math.MinInt64 + 1, math.MaxInt64, math.MaxInt64 - 1,
		-62135596800000,               // .NET's MinValue
		253402300799999,               // the last of the year 9999
		1_767_225_600_000_000,         // microseconds
		1_767_225_600_000_000_000,     // nanoseconds
		-9223372036854, 9223372036854, // the bounds of the library's time, and what lies next to them
		-9223372036855, 9223372036855,
	}
	for bit := 53; bit < 63; bit++ {
		all = append(all, 1<<bit, 1<<bit-1, -1<<bit, -1<<bit-1)
	}
	return all
}

// timed returns a batch of records with these times, each of which says its own.
func timed(t testing.TB, codec kgo.CompressionCodecType, times ...int64) []byte {
	t.Helper()
	documents := make([]unpacktest.Document, len(times))
	for i, ms := range times {
		documents[i] = unpacktest.Document{
			Time: ms, Value: strconv.AppendInt(nil, ms, 10), Key: []byte("k"),
			Headers: []kgo.RecordHeader{{Key: "h", Value: []byte("v")}},
		}
	}
	batch, err := unpacktest.Timed(codec, documents...)
	if err != nil {
		t.Fatal(err)
	}
	return batch
}

// Timestamps come as they were written, whatever they are, alone and in the company of any others, in every codec.
func TestTimesComeAsWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 31))
	all := strange()
	for range 200 {
		all = append(all, int64(r.Uint64())>>r.IntN(64)) // any bits
	}
	for _, codec := range []kgo.CompressionCodecType{kgo.CodecNone, kgo.CodecGzip, kgo.CodecSnappy, kgo.CodecLz4, kgo.CodecZstd} {
		u := New(Limits{Batch: 4 << 20})
		for _, ms := range all {
			checkTimes(t, u, timed(t, codec, ms), []int64{ms})
		}
		for range 50 {
			r.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
			checkTimes(t, u, timed(t, codec, all...), all)
		}
	}
}

// checkTimes reads a batch as a client does, and compares its times.
func checkTimes(t *testing.T, u *Unpacker, batch []byte, want []int64) {
	t.Helper()
	mark(batch)
	f, err := fetch(t, u, batch, 0)
	if err != nil || f.NumRecords() != len(want) {
		t.Fatalf("%d records of %d came: %v", f.NumRecords(), len(want), err)
	}
	for i, r := range f.Records() {
		if got := r.Timestamp.UnixMilli(); got != want[i] || len(r.Headers) != 1 || r.Headers[0].Key != "h" ||
			string(r.Value) != strconv.FormatInt(want[i], 10) || string(r.Key) != "k" || r.Offset != int64(i) {
			t.Fatalf("record %d of %v has %d, want %d: %+v", i, want, got, want[i], r)
		}
	}
	hand(u, f)
	if u.Held() != 0 {
		t.Fatalf("%d bytes are held of nothing", u.Held())
	}
}

// Records that are withheld keep their times, too.
func TestTimesOfWithheldRecords(t *testing.T) {
	all := strange()
	for _, codec := range []kgo.CompressionCodecType{kgo.CodecNone, kgo.CodecZstd} {
		documents := make([]unpacktest.Document, len(all))
		for i, ms := range all {
			documents[i] = unpacktest.Document{Time: ms, Value: make([]byte, 64<<10)}
		}
		batch, err := unpacktest.Timed(codec, documents...)
		if err != nil {
			t.Fatal(err)
		}
		mark(batch)
		u := New(Limits{Batch: 1 << 20, Held: 2 << 20})
		f := must(t, u, batch, nil)
		for i, r := range f.Records() {
			sizes, ok := u.Withheld(r)
			if got := r.Timestamp.UnixMilli(); got != all[i] || !ok || sizes.Value != 64<<10 || len(r.Headers) != 0 {
				t.Fatalf("record %d has %d, want %d; withheld %v %+v", i, got, all[i], ok, sizes)
			}
		}
	}
}

// A topic that stamps records itself writes one time for all of a batch, and leaves the rest of the batch as it came.
func TestTimesOfTheBroker(t *testing.T) {
	for _, now := range []int64{1_800_000_000_000, math.MaxInt64, math.MinInt64, -1} {
		batch := timed(t, kgo.CodecNone, strange()...)
		batch[attributesAt+1] |= 8
		unpacktest.Spanning(batch, math.MinInt64, now)
		mark(batch)
		f := must(t, New(Limits{Batch: 1 << 20, Held: 1 << 20}), batch, nil)
		for _, r := range f.Records() {
			if got := r.Timestamp.UnixMilli(); got != now || len(r.Headers) != 1 {
				t.Fatalf("it is stamped %d, want %d", got, now)
			}
		}
	}
}

// A message of before Kafka 0.10 has no timestamp, which is -1, and no zero time.
func TestTimesOfOldMessages(t *testing.T) {
	m := kmsg.MessageV0{Value: []byte("an old one")}
	raw := m.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-12))
	binary.BigEndian.PutUint32(raw[12:], crc32.ChecksumIEEE(raw[16:]))
	f := must(t, New(Limits{Batch: 1 << 20, Held: 1 << 20}), raw, nil)
	if r := f.Records(); len(r) != 1 || r[0].Timestamp.UnixMilli() != -1 {
		t.Fatalf("it is %+v", r)
	}
}

// Nobody can have a time changed by the epoch of a producer that is none.
func TestEpochsThatAreNone(t *testing.T) {
	for _, epoch := range []int16{-2, -3, -257, -258, math.MinInt16} {
		for _, codec := range []kgo.CompressionCodecType{kgo.CodecNone, kgo.CodecGzip} {
			batch := timed(t, codec, 7, math.MaxInt64)
			binary.BigEndian.PutUint16(batch[epochAt:], uint16(epoch))
			checkTimes(t, New(Limits{Batch: 1 << 20}), seal(batch), []int64{7, math.MaxInt64})
		}
	}
}

func TestTimesThroughAClient(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	timesThroughAClient(t, cluster.ListenAddrs()...)
}

// TestTimesThroughAClientKafka is the same test on real Kafka.
func TestTimesThroughAClientKafka(t *testing.T) {
	brokers := os.Getenv("UNECHO_TEST_KAFKA")
	if brokers == "" {
		t.Skip("needs Kafka: set UNECHO_TEST_KAFKA to host:port, or run make test")
	}
	timesThroughAClient(t, strings.Split(brokers, ",")...)
}

func timesThroughAClient(t *testing.T, brokers ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	like, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.MetadataMinAge(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	defer like.Close()
	admin, topic := kadm.NewClient(like), fmt.Sprintf("times-%d", time.Now().UnixNano())
	any := strconv.FormatInt(math.MaxInt64, 10)
	if _, err := admin.CreateTopic(ctx, 1, 1, map[string]*string{"message.timestamp.after.max.ms": &any, "retention.ms": kadm.StringPtr("-1")}, topic); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = admin.DeleteTopics(context.WithoutCancel(ctx), topic) }()
	all := strange()
	var batches [][]byte
	for _, ms := range all {
		batches = append(batches, timed(t, kgo.CodecNone, ms))
	}
	batches = append(batches, timed(t, kgo.CodecZstd, all...), timed(t, kgo.CodecNone, all...))
	all = slices.Concat(all, all, all)
	for i, batch := range batches {
		if _, err := unpacktest.Drop(ctx, like, topic, 0, batch); err != nil {
			t.Fatalf("batch %d: %v", i, err)
		}
	}
	u := New(Limits{Batch: 1 << 20, Held: 2 << 20})
	client, err := kgo.NewClient(slices.Concat(like.Opts(), u.Options(like), []kgo.Opt{kgo.ConsumeTopics(topic)})...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for n := 0; n < len(all); {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatalf("%d of %d came: %v", n, len(all), err)
		}
		for _, r := range fetches.Records() {
			if got := r.Timestamp.UnixMilli(); got != all[n] || string(r.Value) != strconv.FormatInt(all[n], 10) {
				t.Errorf("record %d has %d and says %s, want %d", n, got, r.Value, all[n])
			}
			n++
		}
		u.Polled(fetches)
		u.Done(fetches)
	}
}
