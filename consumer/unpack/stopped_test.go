package unpack

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/unpack/unpacktest"
	"github.com/unecho/unecho/index/entry"
)

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
	if p, is := u.Unreported(before); is {
		t.Errorf("%v is unreported too early", p)
	}
	later := time.Now().Add(time.Second)
	if p, is := u.Unreported(later); !is || p != entry.Name("news", 3) {
		t.Errorf("%v is unreported", p)
	}
	u.Reported(entry.Name("news", 3))
	if p, is := u.Unreported(later); is {
		t.Errorf("%v is unreported when all are reported", p)
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
	unreported := func() bool { _, is := u.Unreported(time.Now().Add(time.Second)); return is }
	large := zeros(t, 1, 900<<10, kgo.CodecZstd)
	if err := read(large, bad); err != nil || !unreported() {
		t.Fatalf("behind another: %v, unreported %t", err, unreported())
	}
	if err := read(large); !errors.Is(err, ErrLater) || unreported() {
		t.Errorf("a batch that finds no room: %v, unreported %t", err, unreported())
	}
}
