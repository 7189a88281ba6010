package unpack

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/unpack/unpacktest"
	"github.com/unecho/unecho/index/entry"
)

// fetch reads a batch as a client does, beginning at an offset.
func fetch(t *testing.T, u *Unpacker, batch []byte, from int64) (kgo.Fetches, error) {
	t.Helper()
	response := kmsg.NewFetchResponseTopicPartition()
	response.RecordBatches = batch
	p, _ := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{Topic: "t", Offset: from}, &response, u, nil)
	for _, r := range p.Records {
		hooks{u}.OnFetchRecordBuffered(r)
	}
	return kgo.Fetches{{Topics: []kgo.FetchTopic{{Topic: "t", Partitions: []kgo.FetchPartition{p}}}}}, p.Err
}

// hand hands fetches out and gives them back.
func hand(u *Unpacker, all ...kgo.Fetches) {
	handed := slices.Concat(all...)
	for it := handed.RecordIter(); !it.Done(); {
		hooks{u}.OnFetchRecordUnbuffered(it.Next(), true)
	}
	u.Polled(handed)
	u.Done(handed)
}

func discard(u *Unpacker, f kgo.Fetches) {
	for it := f.RecordIter(); !it.Done(); {
		hooks{u}.OnFetchRecordUnbuffered(it.Next(), false)
	}
}

func zeros(t testing.TB, n, size int, codec kgo.CompressionCodecType) []byte {
	t.Helper()
	b, err := unpacktest.Zeros(n, size, codec)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func must(t *testing.T, u *Unpacker, batch []byte, want error) kgo.Fetches {
	t.Helper()
	f, err := fetch(t, u, batch, 0)
	if !errors.Is(err, want) {
		t.Fatalf("%v, wanted %v", err, want)
	}
	if u.Held() > u.bounds.Held {
		t.Fatalf("%d bytes are held", u.Held())
	}
	return f
}

// A batch that finds no room is fetched later, and has its turn before others fill the room again.
func TestHeldIsBounded(t *testing.T) {
	small, large := zeros(t, 1, 300<<10, kgo.CodecZstd), zeros(t, 1, 900<<10, kgo.CodecZstd)
	u := New(Limits{Batch: 1 << 20, Held: 1 << 20})
	first := must(t, u, small, nil)
	must(t, u, large, ErrLater)
	must(t, u, small, ErrLater) // there is room, but the large batch would never have its turn
	u.Polled(nil)
	u.Polled(nil)
	must(t, u, large, ErrLater) // the small one is still held, however often others are polled
	hand(u, first)
	must(t, u, small, ErrLater)
	second := must(t, u, large, nil)
	must(t, u, small, ErrLater)
	discard(u, second)
	hand(u)
	must(t, u, small, nil)
	must(t, u, small, nil)
}

// Records that the client drops without a report are no longer held, even if there is always something to hand out.
func TestDroppedRecordsAreNotHeld(t *testing.T) {
	u := New(Limits{Batch: 1 << 20, Held: 1 << 20})
	batch, large := zeros(t, 100, 1000, kgo.CodecZstd), zeros(t, 1, 900<<10, kgo.CodecZstd)
	f, err := fetch(t, u, batch, 50)
	if err != nil || f.NumRecords() != 50 {
		t.Fatalf("%d records, %v", f.NumRecords(), err)
	}
	second, _ := fetch(t, u, zeros(t, 2, 100<<10, kgo.CodecZstd), 1)
	must(t, u, large, ErrLater)
	plain := must(t, u, zeros(t, 10, 10, kgo.CodecNone), nil)
	hand(u, f, second, plain)
	plain = must(t, u, zeros(t, 10, 10, kgo.CodecNone), nil)
	hand(u, plain)
	if u.Held() != 0 {
		t.Errorf("%d bytes are held of nothing", u.Held())
	}
	must(t, u, large, nil)
}

// The new client of a session that is built anew has all its room, and still recognises records that were withheld
// before.
func TestRenewedIsEmpty(t *testing.T) {
	u := New(Limits{Batch: 1 << 20, Held: 1 << 20})
	large := zeros(t, 1, 900<<10, kgo.CodecZstd)
	must(t, u, large, nil)
	must(t, u, large, ErrLater)
	next := u.Renew()
	f := must(t, next, zeros(t, 1, 2<<20, kgo.CodecZstd), nil)
	if _, ok := u.Withheld(f.Records()[0]); !ok {
		t.Error("it is taken for a document")
	}
	hand(next, f)
	must(t, next, large, nil)
}

// Each partition has its turn, even if the partitions before it in every fetch always have enough to fill the room.
func TestEachHasItsTurn(t *testing.T) {
	u := New(Limits{Batch: 1 << 20, Held: 1 << 20})
	const partitions, rounds = 5, 40
	had := make([]int, partitions)
	for range rounds {
		var all []kgo.Fetches
		for p := range partitions {
			f, err := fetch(t, u, zeros(t, 1+had[p], 600<<10-had[p]*20<<10+p, kgo.CodecZstd), 0) // no two alike
			if err == nil {
				had[p]++
				all = append(all, f)
			}
		}
		hand(u, all...)
	}
	for p, n := range had {
		if n < rounds/partitions/2 {
			t.Errorf("partition %d had %d turns of %v", p, n, had)
		}
	}
}

// The turn of a batch lapses if the batch never comes, as when its partition was taken away.
func TestATurnLapses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := New(Limits{Batch: 1 << 20, Held: 1 << 20})
		first := must(t, u, zeros(t, 1, 900<<10, kgo.CodecZstd), nil)
		must(t, u, zeros(t, 1, 800<<10, kgo.CodecZstd), ErrLater)
		time.Sleep(time.Second) // in a bubble: virtual
		hand(u, first)
		other := zeros(t, 1, 700<<10, kgo.CodecZstd)
		must(t, u, other, ErrLater)
		time.Sleep(patience)
		must(t, u, other, nil)
		if len(u.turns.waiting) > 0 {
			t.Errorf("%d still wait", len(u.turns.waiting))
		}
	})
}

// Batches that take no memory still take time, so the client hands out what it has before it looks at many of them.
func TestWorkIsBounded(t *testing.T) {
	u := New(Limits{Batch: 1 << 20, Held: 1 << 20})
	bomb, other := zeros(t, 1, 16<<20, kgo.CodecZstd), zeros(t, 1, 100, kgo.CodecZstd)
	must(t, u, bomb, nil)
	must(t, u, other, ErrLater)
	hand(u)
	must(t, u, bomb, ErrLater) // the other one waits
	must(t, u, other, nil)
	must(t, u, bomb, nil)
}

// A partition that the client leaves alone is unreported until the client reports it. No other partition is.
func TestUnreported(t *testing.T) {
	noise := bytes.Repeat([]byte{0xa5}, 200)
	u := New(Limits{Batch: 1 << 20, Held: 1 << 20})
	read := func(p int32, records int, codec kgo.CompressionCodecType) {
		hooks{u}.OnFetchBatchRead(kgo.BrokerMetadata{}, "news", p, kgo.FetchBatchMetrics{
			NumRecords: records, CompressedBytes: len(noise), CompressionType: uint8(codec),
		})
	}
	read(0, 0, kgo.CodecZstd) // its batch is fetched later
	if _, err := u.Decompress(noise, kgo.CodecZstd); err == nil {
		t.Fatal("noise was unpacked")
	}
	read(1, 1, kgo.CodecZstd)
	read(2, 0, kgo.CodecNone)
	before := time.Now()
	read(3, 0, kgo.CodecZstd)
	read(4, 0, kgo.CodecZstd)
	if err := u.LeftAlone(before.Add(untoldPatience)); err != nil {
		t.Errorf("too early: %v", err)
	}
	later := time.Now().Add(time.Second + untoldPatience)
	if err := u.LeftAlone(later); err == nil || !strings.HasPrefix(err.Error(), "news/3 stands still") {
		t.Errorf("it is said: %v", err)
	}
	u.Reported(entry.Name("news", 3))
	if err := u.LeftAlone(later); err != nil {
		t.Errorf("when all are reported: %v", err)
	}
}

// A client that reads another batch of the partition, or the same one again, has not left it alone: the batch came
// behind others that it handed out first.
func TestGoesOn(t *testing.T) {
	bad := unpacktest.Batch(1, kgo.CodecZstd, bytes.Repeat([]byte{0xa5}, 200))
	bad[7] = 1 // its offset
	u := New(Limits{Batch: 1 << 20, Held: 1 << 20})
	read := func(batches ...[]byte) error {
		response := kmsg.NewFetchResponseTopicPartition()
		response.RecordBatches = slices.Concat(batches...)
		p, _ := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{Topic: "news"}, &response, u,
			func(m kgo.FetchBatchMetrics) {
				hooks{u}.OnFetchBatchRead(kgo.BrokerMetadata{}, "news", 0, m)
			})
		return p.Err
	}
	unreported := func() bool { return u.LeftAlone(time.Now().Add(time.Second+untoldPatience)) != nil }
	large := zeros(t, 1, 900<<10, kgo.CodecZstd)
	if err := read(large, bad); err != nil || !unreported() {
		t.Fatalf("behind another: %v, unreported %t", err, unreported())
	}
	if err := read(large); !errors.Is(err, ErrLater) || unreported() {
		t.Errorf("a batch that finds no room: %v, unreported %t", err, unreported())
	}
}

// Held returns the bytes that are unpacked and not given back.
func (u *Unpacker) Held() int { return u.held.sum() }
