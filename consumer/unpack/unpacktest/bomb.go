// Package unpacktest makes record batches for tests that no well-meaning client sends.
package unpacktest

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/retry"
)

// Zeros returns a batch of n records, each with a value of size zeros.
func Zeros(n, size int, codec kgo.CompressionCodecType) ([]byte, error) {
	var out bytes.Buffer
	to, err := compressor(&out, codec)
	if err != nil {
		return nil, err
	}
	piece := make([]byte, min(size, 1<<20))
	for i := range n {
		head := binary.AppendVarint(binary.AppendVarint([]byte{0}, 0), int64(i))
		head = binary.AppendVarint(binary.AppendVarint(head, -1), int64(size)) // no key
		length := binary.AppendVarint(nil, int64(len(head)+size+1))
		if _, err := to.Write(append(length, head...)); err != nil {
			return nil, err
		}
		for left := size; left > 0; left -= len(piece) {
			piece = piece[:min(left, len(piece))]
			if _, err := to.Write(piece); err != nil {
				return nil, err
			}
		}
		piece = piece[:cap(piece)]
		if _, err := to.Write([]byte{0}); err != nil { // no headers
			return nil, err
		}
	}
	if err := to.Close(); err != nil {
		return nil, err
	}
	return Batch(n, codec, out.Bytes()), nil
}

func compressor(to io.Writer, codec kgo.CompressionCodecType) (io.WriteCloser, error) {
	switch codec {
	case kgo.CodecGzip:
		return gzip.NewWriter(to), nil
	case kgo.CodecLz4:
		return lz4.NewWriter(to), nil
	case kgo.CodecZstd:
		return zstd.NewWriter(to, zstd.WithWindowSize(64<<10), zstd.WithEncoderConcurrency(1))
	case kgo.CodecSnappy:
		_, err := to.Write(append([]byte{130, 'S', 'N', 'A', 'P', 'P', 'Y', 0}, 0, 0, 0, 1, 0, 0, 0, 1))
		return java{to}, err
	case kgo.CodecNone:
		return bare{to}, nil
	case kgo.CodecError:
	}
	return nil, fmt.Errorf("there is no codec %d", codec)
}

type bare struct{ io.Writer }

func (bare) Close() error { return nil }

// java writes snappy in the frames of Java's producers.
type java struct{ to io.Writer }

func (j java) Write(p []byte) (int, error) {
	block := s2.EncodeSnappy(nil, p)
	_, err := j.to.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(block))), block...)) // small
	return len(p), err
}

func (java) Close() error { return nil }

// Batch returns a record batch that says it holds n records, around any bytes.
func Batch(n int, codec kgo.CompressionCodecType, records []byte) []byte {
	now := time.Now().UnixMilli()
	b := kmsg.RecordBatch{
		PartitionLeaderEpoch: -1, Magic: 2, Attributes: int16(codec), LastOffsetDelta: int32(n - 1), NumRecords: int32(n), // small
		FirstTimestamp: now, MaxTimestamp: now, ProducerID: -1, ProducerEpoch: -1, FirstSequence: -1, Records: records,
	}
	raw := b.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-12)) // small
	binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(raw[21:], crc32.MakeTable(crc32.Castagnoli)))
	return raw
}

// Drop produces a batch as it is, and returns the offset of its first record. It waits for a leader, because a
// partition that was just made may not have one yet.
func Drop(ctx context.Context, client *kgo.Client, topic string, partition int32, batch []byte) (int64, error) {
	for {
		offset, err := drop(ctx, client, topic, partition, batch)
		if err == nil || !kerr.IsRetriable(err) || retry.Pause(ctx, 50*time.Millisecond) != nil {
			return offset, err
		}
	}
}

func drop(ctx context.Context, client *kgo.Client, topic string, partition int32, batch []byte) (int64, error) {
	id, leader, err := leaderOf(ctx, client, topic, partition)
	if err != nil {
		return 0, err
	}
	req := kmsg.NewPtrProduceRequest()
	req.Acks, req.TimeoutMillis = -1, 60_000
	p := kmsg.NewProduceRequestTopicPartition()
	p.Partition, p.Records = partition, batch
	t := kmsg.NewProduceRequestTopic()
	t.Topic, t.TopicID, t.Partitions = topic, id, append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	resp, err := leader.RetriableRequest(ctx, req)
	if err != nil {
		return 0, err
	}
	got := resp.(*kmsg.ProduceResponse).Topics[0].Partitions[0]
	return got.BaseOffset, kerr.ErrorForCode(got.ErrorCode)
}

// leaderOf returns the id of a topic, and the broker that leads one of its partitions.
func leaderOf(ctx context.Context, client *kgo.Client, topic string, partition int32) (id [16]byte, leader *kgo.Broker, err error) {
	meta := kmsg.NewPtrMetadataRequest()
	asked := kmsg.NewMetadataRequestTopic()
	asked.Topic = &topic
	meta.Topics = append(meta.Topics, asked)
	found, err := meta.RequestWith(ctx, client)
	if err != nil {
		return id, nil, err
	}
	for _, at := range found.Topics[0].Partitions {
		if at.Partition == partition && at.Leader >= 0 {
			return found.Topics[0].TopicID, client.Broker(int(at.Leader)), nil
		}
	}
	return id, nil, kerr.LeaderNotAvailable
}
