package entry

import (
	"encoding/binary"
	"math/bits"
)

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
