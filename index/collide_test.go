package index_test

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
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

// TestEqualBitsHideNoDocument: however many documents have a key of which buckets store the same bits, they hide none that
// has the key, and count as none.
func TestEqualBitsHideNoDocument(t *testing.T) {
	const most, bands = 20, 3 // at most so many are met under a key
	one, other := collidingKeys(t)
	p := estimating(1000)
	p.Duplicates.MaxReferences = most
	f := newFeed(t, p, 1000, 0)
	f.make()
	first, copied, last := &f.record.Entries[0], &f.record.Entries[runEntries-2], &f.record.Entries[runEntries-1]
	for i := range f.record.Entries {
		e, key := &f.record.Entries[i], other
		if e == first || e == copied || e == last {
			key = one
		}
		for b := range bands {
			copy(e.Keys[b*entry.KeyBytes:], key)
		}
	}
	copy(copied.Evidence, first.Evidence)
	judged := f.replica.Apply(f.at, &f.record).Judged
	if v := judged[runEntries-2]; !v.Matched() || v.Match.Offset != first.Offset {
		t.Errorf("the verdict is %+v, of a copy of %d", v, first.Offset)
	}
	if v := judged[runEntries-1]; v.Matched() || v.Cut || f.replica.Met() != bands {
		t.Errorf("%d documents are met by %d keys of one, and the verdict is %+v", f.replica.Met(), bands, v)
	}
}

// TestOwnBitsAreNoLink: a document is not linked under a fine key of which buckets store the bits of its own key in the
// same table.
func TestOwnBitsAreNoLink(t *testing.T) {
	fine := func(change func(keys []byte)) []uint32 {
		f := newFeed(t, estimating(5000), 5000, 0)
		f.hot = true
		f.fill(runEntries) // from now on all keys are popular
		f.make()
		change(f.record.Entries[0].Keys)
		f.apply()
		var linked []uint32
		f.replica.Each(func(m *index.Remembered) {
			if m.Entry.Offset == f.record.Entries[0].Offset {
				linked = m.Fine
			}
		})
		return linked
	}
	var tables int
	before := fine(func(keys []byte) { tables = len(keys)/entry.KeyBytes + 1 })
	at := slices.IndexFunc(before, func(tag uint32) bool { return int(uint64(tag)*uint64(tables)/window.Tags) < tables-1 })
	if at < 0 {
		t.Fatalf("fine keys %x are those of no band", before)
	}
	key := make([]byte, entry.KeyBytes)
	for n := uint32(0); window.BandTag(key) != before[at]; n++ {
		binary.LittleEndian.PutUint32(key, n)
	}
	after := fine(func(keys []byte) {
		copy(keys[int(uint64(before[at])*uint64(tables)/window.Tags)*entry.KeyBytes:], key)
	})
	if slices.Contains(after, before[at]) || len(after) != len(before) {
		t.Errorf("linked under fine keys %x, and under %x with %x as its own key", before, after, key)
	}
}
