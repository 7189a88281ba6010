package window

import "encoding/binary"

// BandTag is the part of a band key's hash that a bucket stores. Documents with equal tags in a band meet there.
func BandTag(key []byte) uint32 { return TagOf(loadKey(key)) }

// TagOf is the part of a key's hash that a bucket stores.
func TagOf(key uint64) uint32 { return hashKey(key) & (1<<hashBits - 1) }

// Tags is how many tags there are.
const Tags = 1 << hashBits

// hashKey spreads a band key over 32 bits. The lowest of them select its bucket.
func hashKey(key uint64) uint32 {
	key *= 0x9e3779b97f4a7c15
	return uint32(key >> 32)
}

// loadKey reads a band key.
func loadKey(b []byte) uint64 { return uint64(binary.LittleEndian.Uint32(b)) }
