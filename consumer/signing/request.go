package signing

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// MaxIdempotencyKey bounds the bytes of an idempotency key. What is longer, or empty, is none.
const MaxIdempotencyKey = 255

// HeaderIdempotencyKey is the header of a source record that came with an idempotency key. As all headers of that
// prefix it is not forwarded.
const HeaderIdempotencyKey = sink.Prefix + "idempotency-key"

// RequestOf returns the request that a record came with: a hash of its idempotency key and of all that makes the
// document, so that a key joins nothing but the same document. A document of another client is not taken for one that
// came before, whatever its key is, unless both are the same in every byte. Half of SHA-256 is kept: to make up two
// documents of one hash takes some 2^64 tries, and then they are still told apart by the hash of their text.
func RequestOf(reader *document.Reader, r *kgo.Record, doc *document.Document) (of entry.Request) {
	key := idempotencyKey(r)
	if key == nil {
		return of
	}
	h := sha256.New()
	write(h, key)
	write(h, r.Key)
	write(h, r.Value)
	write(h, doc.ID)
	if !reader.ByPartition(r.Topic) { // what is sent again may come to another partition
		write(h, binary.LittleEndian.AppendUint64(nil, doc.Scope))
	}
	copy(of[:], h.Sum(nil))
	return of
}

// write adds a value behind its length. A hash takes all that it is given.
func write(h hash.Hash, value []byte) {
	_, _ = h.Write(binary.AppendUvarint(nil, uint64(len(value))))
	_, _ = h.Write(value)
}

// idempotencyKey returns the key of a record: that of the last such header, or nil if there is none.
func idempotencyKey(r *kgo.Record) []byte {
	for i := len(r.Headers) - 1; i >= 0; i-- {
		if h := &r.Headers[i]; h.Key == HeaderIdempotencyKey {
			if len(h.Value) == 0 || len(h.Value) > MaxIdempotencyKey {
				return nil
			}
			return h.Value
		}
	}
	return nil
}
