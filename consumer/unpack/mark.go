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
//	offset 8 · size of the rest 4 · epoch 4 · format 1 · CRC of the rest 4 · attributes 2 · ... 4 ·
//	first timestamp 8 · largest timestamp 8 · ... 8 · epoch of the producer 2 · ... 8 · records
//
// Three bits of the attributes are the codec, one says that the broker has stamped the batch, with the largest
// timestamp, and one that it ends a transaction.
const (
	sizeAt       = 8
	formatAt     = 16
	crcAt        = 17
	attributesAt = 21
	firstTimeAt  = 27
	lastTimeAt   = 35
	epochAt      = 51
	recordsAt    = 61

	codecBits  = 7
	stampedBit = 1 << 3
	endsBit    = 1 << 5
)

// mark marks the uncompressed batches of a partition, and tells the time of a batch where the client's times do not. It
// leaves alone batches that end a transaction, damaged ones, which the client reports, and messages that were written
// before Kafka 0.11.
func mark(batches []byte) {
	for len(batches) > formatAt {
		size := int64(int32(binary.BigEndian.Uint32(batches[sizeAt:]))) + sizeAt + 4
		if size <= formatAt || size > int64(len(batches)) {
			return // the last batch may be cut off
		}
		if batch := batches[:size]; size >= recordsAt && batch[formatAt] == 2 {
			markBatch(batch)
		}
		batches = batches[size:]
	}
}

func markBatch(batch []byte) {
	flags, epoch := batch[attributesAt+1], int16(binary.BigEndian.Uint16(batch[epochAt:]))
	if flags&endsBit != 0 {
		return
	}
	marked, code := flags, markedEpoch(batch, epoch)
	if flags&codecBits == 0 {
		marked |= byte(plain)
	}
	rest, table := batch[attributesAt:], crc32.MakeTable(crc32.Castagnoli)
	if marked == flags && code == epoch || crc32.Checksum(rest, table) != binary.BigEndian.Uint32(batch[crcAt:]) {
		return
	}
	batch[attributesAt+1] = marked
	binary.BigEndian.PutUint16(batch[epochAt:], uint16(code))
	binary.BigEndian.PutUint32(batch[crcAt:], crc32.Checksum(rest, table))
}

// markedEpoch returns the epoch that a batch gets: its own, or one that tells the batch's time.
func markedEpoch(batch []byte, epoch int16) int16 {
	at := firstTimeAt
	if batch[attributesAt+1]&stampedBit != 0 {
		at = lastTimeAt
	}
	if ms := int64(binary.BigEndian.Uint64(batch[at:])); far(ms) {
		return codeOf(ms)
	}
	return max(epoch, noEpoch)
}
