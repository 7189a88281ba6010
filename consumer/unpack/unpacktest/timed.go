package unpacktest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Document is a record of a batch that Timed makes.
type Document struct {
	Time       int64 // ms since 1970
	Key, Value []byte
	Headers    []kgo.RecordHeader
}

// Timed returns a batch of records with any timestamps, written as they are.
func Timed(codec kgo.CompressionCodecType, documents ...Document) ([]byte, error) {
	var out bytes.Buffer
	to, err := compressor(&out, codec)
	if err != nil {
		return nil, err
	}
	first, last := documents[0].Time, documents[0].Time
	for i, d := range documents {
		last = max(last, d.Time)
		record := binary.AppendVarint([]byte{0}, d.Time-first) // Java's arithmetic, too, goes round
		record = binary.AppendVarint(record, int64(i))
		record = appendField(appendField(record, d.Key), d.Value)
		record = binary.AppendVarint(record, int64(len(d.Headers)))
		for _, h := range d.Headers {
			record = appendField(appendField(record, []byte(h.Key)), h.Value)
		}
		if _, err := to.Write(slices.Concat(binary.AppendVarint(nil, int64(len(record))), record)); err != nil {
			return nil, err
		}
	}
	if err := to.Close(); err != nil {
		return nil, err
	}
	return Spanning(Batch(len(documents), codec, out.Bytes()), first, last), nil
}

// Spanning returns the batch with another first and largest timestamp.
func Spanning(batch []byte, first, last int64) []byte {
	const firstAt, lastAt = 27, 35
	binary.BigEndian.PutUint64(batch[firstAt:], uint64(first))
	binary.BigEndian.PutUint64(batch[lastAt:], uint64(last))
	return summed(batch)
}

// Numbered returns a copy of the batch that is of an idempotent producer: a partition takes each number only once.
func Numbered(batch []byte, producer int64, epoch int16, number int32) []byte {
	const producerAt, epochAt, numberAt = 43, 51, 53
	batch = slices.Clone(batch)
	binary.BigEndian.PutUint64(batch[producerAt:], uint64(producer))
	binary.BigEndian.PutUint16(batch[epochAt:], uint16(epoch))
	binary.BigEndian.PutUint32(batch[numberAt:], uint32(number))
	return summed(batch)
}

// summed sets the batch's checksum.
func summed(batch []byte) []byte {
	const crcAt, attributesAt = 17, 21
	binary.BigEndian.PutUint32(batch[crcAt:], crc32.Checksum(batch[attributesAt:], crc32.MakeTable(crc32.Castagnoli)))
	return batch
}

func appendField(dst, field []byte) []byte {
	if field == nil {
		return binary.AppendVarint(dst, -1)
	}
	return append(binary.AppendVarint(dst, int64(len(field))), field...)
}
