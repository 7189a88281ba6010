package unpack

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"math"
	"net"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// dialer connects a client to a broker.
type dialer = func(ctx context.Context, network, address string) (net.Conn, error)

// marking dials as the client like does, and marks what is fetched. It wraps the TLS connection, so that it reads what
// Kafka wrote.
func marking(like *kgo.Client) dialer {
	dial := like.OptValue(kgo.Dialer).(dialer) // the library's own, TLS and all; a test holds this
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &conn{Conn: c}, nil
	}
}

// conn is a connection that marks uncompressed batches in place as they are read. See mark.
//
// Requests and responses are framed alike: size 4, and then as many bytes. In a request these begin with kind 2,
// version 2, id 4; in a response they begin with the request's id 4. Responses come in the order of the requests, and
// some requests have none.
type conn struct {
	net.Conn

	mu    sync.Mutex
	asked []asked // fetch requests that have no response yet

	size  [4]byte // of the response that is being read
	have  int     // bytes of its size
	left  int     // bytes of the rest that are not read yet
	begun bool    // some of the rest was read
}

// asked is a fetch request.
type asked struct {
	id      uint32
	version int16
}

const fetchKind = 1

// Write implements net.Conn. The client writes each request at once.
func (c *conn) Write(p []byte) (int, error) {
	if len(p) >= 12 && int64(binary.BigEndian.Uint32(p)) == int64(len(p)-4) &&
		binary.BigEndian.Uint16(p[4:]) == fetchKind {
		c.mu.Lock()
		c.asked = append(c.asked, asked{binary.BigEndian.Uint32(p[8:]), int16(binary.BigEndian.Uint16(p[6:]))})
		c.mu.Unlock()
	}
	return c.Conn.Write(p)
}

// Read implements net.Conn. A reader with room for a whole response gets it whole. The client always has the room,
// because it reads the size first. Any other reader gets the bytes unmarked.
func (c *conn) Read(p []byte) (n int, err error) {
	switch {
	case c.left == 0:
		return c.readSize(p)
	case c.begun || len(p) < c.left:
		n, err = c.Conn.Read(p[:min(len(p), c.left)])
		c.begun = c.begun || n > 0
	default:
		n, err = fill(c.Conn, p[:c.left])
		if c.begun = n > 0; n == c.left {
			c.whole(p[:n])
		}
	}
	c.left -= n
	return n, err
}

// readSize reads the size and nothing behind it, so that what follows is read into its place at once.
func (c *conn) readSize(p []byte) (int, error) {
	n, err := c.Conn.Read(p[:min(len(p), len(c.size)-c.have)])
	copy(c.size[c.have:], p[:n])
	if c.have += n; c.have < len(c.size) {
		return n, err
	}
	c.have, c.begun = 0, false
	if c.left = int(int32(binary.BigEndian.Uint32(c.size[:]))); c.left < 0 {
		c.left, c.begun = math.MaxInt, true // the client hangs up
	}
	return n, err
}

// whole marks a whole response, whose size was read before.
func (c *conn) whole(response []byte) {
	if len(response) < 4 {
		return
	}
	if version, ok := c.fetched(binary.BigEndian.Uint32(response)); ok {
		markResponse(response[4:], version)
	}
}

// fetched says whether a response answers a fetch request. Requests before that one have been answered.
func (c *conn) fetched(id uint32) (version int16, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.asked, func(a asked) bool { return a.id == id })
	if i < 0 {
		return 0, false
	}
	version = c.asked[i].version
	c.asked = slices.Delete(c.asked, 0, i+1)
	return version, true
}

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
