//go:build unix

package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/unpack/unpacktest"
)

// The earliest and the latest timestamp with which a document comes out unchanged, in ms since 1970: they are in the
// years 1677 and 2262.
const (
	earliest = -9223372036854
	latest   = 9223372036854
)

// strangeTimes are timestamps that producers write by mistake, and those at which arithmetic breaks.
func strangeTimes() []int64 {
	return []int64{
		-1, 0, math.MinInt64, math.MaxInt64,
		-62135596800000,        // .NET's MinValue
		253402300799999,        // the last of the year 9999
		time.Now().UnixMicro(), // microseconds
		earliest, earliest - 1, latest, latest + 1,
	}
}

// stranger writes documents with strange timestamps, past a client's producer. Its batches have numbers, so that a
// partition has each of them once, however often it is sent.
type stranger struct {
	client *kgo.Client

	mu   sync.Mutex
	next map[int32]int32 // number of the next document in each partition
}

func newStranger(w *world) (*stranger, error) {
	client, err := kgo.NewClient(w.options...)
	if err != nil {
		return nil, fmt.Errorf("open the client for strange timestamps: %w", err)
	}
	return &stranger{client: client, next: map[int32]int32{}}, nil
}

// strange writes a batch of documents with strange timestamps.
func (s *scene) strange(ctx context.Context, e event) error {
	r := rand.New(rand.NewPCG(s.params.seed, uint64(e.at)))
	codecs := []kgo.CompressionCodecType{kgo.CodecNone, kgo.CodecGzip, kgo.CodecSnappy, kgo.CodecLz4, kgo.CodecZstd}
	var all []unpacktest.Document
	for _, ms := range strangeTimes() {
		all = append(all, unpacktest.Document{
			Time: ms, Key: strconv.AppendInt(nil, ms, 10),
			Value: fmt.Appendf(nil, "w%x says of itself that it is of %d ms", r.Uint64(), ms),
		})
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	batch, err := unpacktest.Timed(codecs[r.IntN(len(codecs))], all...)
	if err != nil {
		return err
	}
	partition := r.Int32N(s.load.partitions.Load())
	offset, err := s.stranger.write(ctx, s.source, partition, int32(len(all)), batch)
	if err != nil {
		return err
	}
	s.load.acknowledged(partition, offset, len(all))
	return nil
}

// write writes a batch of n documents, and returns the offset of the first.
func (s *stranger) write(ctx context.Context, topic string, partition, n int32, batch []byte) (offset int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var refused error
	err = until(ctx, "documents with strange timestamps are written", commitTimeout, func(ctx context.Context) bool {
		var id int64
		var epoch int16
		if id, epoch, refused = s.client.ProducerID(ctx); refused != nil {
			return false
		}
		numbered := unpacktest.Numbered(batch, id, epoch, s.next[partition])
		offset, refused = unpacktest.Drop(ctx, s.client, topic, partition, numbered)
		return refused == nil
	})
	if err != nil {
		return 0, fmt.Errorf("%w: %w", err, refused)
	}
	s.next[partition] += n
	return offset, nil
}
