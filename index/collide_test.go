package index_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/unecho/unecho/index/window"
)

// TestEqualBitsAreNoKey: buckets store some bits of a key's hash. Documents that share only these bits in every band,
// and no key, are not compared, however similar they are.
func TestEqualBitsAreNoKey(t *testing.T) {
	one, other := collidingKeys(t)
	for _, c := range []struct {
		key  []byte
		want uint64
	}{{one, 1}, {other, 0}} {
		f := newFeed(t, estimating(1000), 1000, 0)
		f.make()
		first, second := &f.record.Entries[0], &f.record.Entries[1]
		copy(second.Evidence, first.Evidence)
		for at := 0; at < len(first.Keys); at += len(one) {
			copy(first.Keys[at:], one)
			copy(second.Keys[at:], c.key)
		}
		f.apply()
		if s := f.replica.Stats(); s.Duplicate != c.want {
			t.Errorf("%d copies of a document of keys %x, want %d: the other has keys %x", s.Duplicate, one, c.want, c.key)
		}
	}
}

// collidingKeys returns two keys of which buckets store the same bits.
func collidingKeys(t *testing.T) (one, other []byte) {
	t.Helper()
	seen, random := map[uint32][]byte{}, rand.New(rand.NewPCG(1, 2))
	for range 1 << 20 {
		key := binary.LittleEndian.AppendUint32(nil, random.Uint32())
		tag := window.BandTag(key)
		if seen[tag] != nil {
			return seen[tag], key
		}
		seen[tag] = key
	}
	t.Fatal("no two keys collide")
	return nil, nil
}
