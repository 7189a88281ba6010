package entry

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// PartitionName names a partition as clients do.
type PartitionName struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
}

// Name returns the name of a partition.
func Name(topic string, partition int32) PartitionName { return PartitionName{topic, partition} }

// ParseName reads what String returns.
func ParseName(s string) (n PartitionName, ok bool) {
	slash := strings.LastIndexByte(s, '/')
	if slash < 0 {
		return n, false
	}
	number, err := strconv.ParseUint(s[slash+1:], 10, 31)
	return Name(s[:slash], int32(number)), err == nil
}

// String returns topic/partition.
func (n PartitionName) String() string { return fmt.Sprintf("%s/%d", n.Topic, n.Partition) }

// Compare orders by topic and partition.
func (n PartitionName) Compare(other PartitionName) int {
	return cmp.Or(cmp.Compare(n.Topic, other.Topic), cmp.Compare(n.Partition, other.Partition))
}

// Source is one partition of one incarnation of a topic. A topic that is deleted and created again has another UUID,
// and so is another source.
type Source struct {
	Topic     [16]byte // the topic's UUID
	Partition int32
}

// Kind says what Evidence holds.
type Kind uint8

// Kinds of evidence.
const (
	None     Kind = iota // nothing to verify with: an empty document
	Text                 // the normalised text, compressed (see AppendText)
	Sketch               // codes of the sketch
	Shingles             // short hashes of the shingles (see AppendShingles)
)

// KeyBytes is the width of a band key. Two unlike documents have an equal one by chance once in 2^32: in a window of a
// billion documents with 22 bands one meets five others so, which are told apart by their digests.
const KeyBytes = 4

// ShareBand says whether the band keys of two documents have one in common.
func ShareBand(a, b []byte) bool {
	for at := 0; at < len(a); at += KeyBytes {
		if bytes.Equal(a[at:at+KeyBytes], b[at:at+KeyBytes]) {
			return true
		}
	}
	return false
}

// Entry is one signed document. Its byte slices point into the buffer that it was decoded from or signed into. To keep
// an Entry beyond that buffer's life, use Clone.
type Entry struct {
	Offset   int64  // in the source partition; with the Source it is the document's identity
	Time     int64  // document time: the record's timestamp, ms since 1970
	Content  uint64 // xxhash64 of the normalised text: equal means identical
	Scope    uint64 // hash of the value that limits the comparison; 0 is no limit
	Keys     []byte // band keys, bands x width bytes, salted with the scope; empty for an empty document
	Digest   []byte // DigestBytes that tell unlike documents apart without their evidence; empty for an empty document
	Kind     Kind   // what Evidence holds
	Evidence []byte
	ID       []byte // the user's id; empty means the coordinates are the id
	// Request is the request that the document came with. It is no part of the entry's bytes: a run carries it beside
	// them, and no window remembers it.
	Request Request
}

// DigestBytes is the length of a digest.
const DigestBytes = 32

// Request is a hash of an idempotency key and of the document that was sent by it. The zero Request is none.
type Request [16]byte

// Empty says whether the document has no text to compare. It is then unique, whatever the window holds.
func (e *Entry) Empty() bool { return e.Kind == None }

// Digest is the decoded digest of an entry. It tells unlike documents apart without reading their records.
type Digest [DigestBytes / 8]uint64

// DigestBits is the length of a digest in bits.
const DigestBits = 8 * DigestBytes

// ReadDigest decodes a digest. It is zero for an entry that has none.
func ReadDigest(b []byte) (d Digest) {
	if len(b) >= DigestBytes {
		for i := range d {
			d[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
	}
	return d
}

// Distance returns in how many bits a digest differs from an encoded one.
func (d *Digest) Distance(b []byte) int {
	b = b[:DigestBytes]
	return bits.OnesCount64(d[0]^binary.LittleEndian.Uint64(b)) +
		bits.OnesCount64(d[1]^binary.LittleEndian.Uint64(b[8:])) +
		bits.OnesCount64(d[2]^binary.LittleEndian.Uint64(b[16:])) +
		bits.OnesCount64(d[3]^binary.LittleEndian.Uint64(b[24:]))
}
