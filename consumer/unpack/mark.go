package unpack

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// plain is the codec with which uncompressed batches are marked. It is the highest number that a batch has room for.
// Kafka assigns numbers from 0 upwards and has reached 4, and brokers refuse codecs that they do not know.
const plain kgo.CompressionCodecType = 7

// markResponse marks the uncompressed batches in a response to a fetch request, which begins behind its id. The client
// then has them unpacked. It leaves a response that it cannot read as it is, because the client cannot read it either.
func markResponse(response []byte, version int16) {
	answer := kmsg.NewFetchResponse()
	answer.SetVersion(version)
	if answer.IsFlexible() {
		rd := kbin.Reader{Src: response}
		kmsg.SkipTags(&rd)
		if response = rd.Src; !rd.Ok() {
			return
		}
	}
	if answer.UnsafeReadFrom(response) != nil { // batches are not copied
		return
	}
	for i := range answer.Topics {
		for k := range answer.Topics[i].Partitions {
			mark(answer.Topics[i].Partitions[k].RecordBatches)
		}
	}
}

// These are the parts of a batch that matter here:
//
//	offset 8 · size of the rest 4 · epoch 4 · format 1 · CRC of the rest 4 · attributes 2 · ... · records
//
// Three bits of the attributes are the codec, and one says that the batch ends a transaction.
const (
	sizeAt       = 8
	formatAt     = 16
	crcAt        = 17
	attributesAt = 21
	recordsAt    = 61

	codecBits = 7
	endsBit   = 1 << 5
)

// mark marks the uncompressed batches of a partition. It leaves alone batches that end a transaction, damaged ones,
// which the client reports, and messages that were written before Kafka 0.11.
func mark(batches []byte) {
	table := crc32.MakeTable(crc32.Castagnoli)
	for len(batches) > formatAt {
		size := int64(int32(binary.BigEndian.Uint32(batches[sizeAt:]))) + sizeAt + 4 //nolint:gosec // a signed number
		if size <= formatAt || size > int64(len(batches)) {
			return // the last batch may be cut off
		}
		batch := batches[:size]
		batches = batches[size:]
		if size < recordsAt || batch[formatAt] != 2 {
			continue
		}
		flags, rest := &batch[attributesAt+1], batch[attributesAt:]
		if *flags&(codecBits|endsBit) == 0 && crc32.Checksum(rest, table) == binary.BigEndian.Uint32(batch[crcAt:]) {
			*flags |= byte(plain)
			binary.BigEndian.PutUint32(batch[crcAt:], crc32.Checksum(rest, table))
		}
	}
}
