package window

import (
	"github.com/cespare/xxhash/v2"

	"github.com/unecho/unecho/index/entry"
)

// Identical documents of one scope have the same keys in all bands. One more table, the last, finds documents by all
// their keys together. Many documents may share one key, but few share all of them, so an identical document is always
// met. Its digest is the same, so it is among the first that are compared.

// whole is the index of the table for the keys of all bands together. It equals the number of bands.
func (x *Buckets) whole() int { return len(x.tables) - 1 }

// tag returns the tag under which a table finds band keys.
func (x *Buckets) tag(keys []byte, table int) uint32 {
	if table == x.whole() {
		return KeysTag(keys)
	}
	return BandTag(keys[table*entry.KeyBytes:])
}

// KeysTag is the part of the hash of all band keys together that a bucket stores, as BandTag is for one band key.
func KeysTag(keys []byte) uint32 { return uint32(xxhash.Sum64(keys)) & (1<<hashBits - 1) }
