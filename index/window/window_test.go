package window

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/unecho/unecho/index/entry"
)

// rolling is a window that tests fill and inspect. band has the first key of each document, so that the expected
// content is known without the window.
type rolling struct {
	t      *testing.T
	window *Window
	random *rand.Rand
	keys   uint64 // number of different keys
	band   []uint64
}

func newRolling(t *testing.T, count, bands int, keys uint64) *rolling {
	t.Helper()
	return &rolling{t: t, window: New(Params{Bands: bands, Share: 100, Count: uint64(count)}), random: rand.New(rand.NewPCG(1, 2)), keys: keys}
}

func (r *rolling) insert(n int) {
	for range n {
		e := entry.Entry{Offset: int64(r.window.end), Kind: entry.Sketch, Keys: make([]byte, 4*r.window.buckets.whole())}
		for b := range r.window.buckets.whole() {
			binary.LittleEndian.PutUint32(e.Keys[4*b:], uint32(r.random.Uint64N(r.keys)))
		}
		r.band = append(r.band, loadKey(e.Keys))
		r.window.Insert(&Document{Entry: e, Position: entry.Position{Offset: int64(r.window.end)}})
		r.window.Expire(0)
	}
}

// check compares each bucket of each band with the documents: every visible document is in it once, in order, and there
// is no other.
func (r *rolling) check() {
	r.t.Helper()
	w := r.window
	for b := range w.buckets.tables {
		t, seen := &w.buckets.tables[b], map[Ref]bool{}
		for bucket := range t.n {
			items := t.gather(nil, bucket, w.span())
			if !slices.IsSortedFunc(items, func(a, b item) int { return int(b.Ref) - int(a.Ref) }) {
				r.t.Fatalf("bucket %d of band %d is not in order: %v", bucket, b, items)
			}
			for _, it := range items {
				s, i := w.at(it.Ref)
				hash := w.buckets.tag(s.keys(i), b)
				if at, _ := t.bucket(hash); seen[it.Ref] || at != bucket || hash&(1<<hashBits-1) != it.hash {
					r.t.Fatalf("document %d of hash %x stands as %x in bucket %d of band %d, again: %v", it.Ref, hash, it.hash, bucket,
						b, seen[it.Ref])
				}
				seen[it.Ref] = true
			}
		}
		visible := int(w.span().visible())
		if len(seen) != visible {
			r.t.Fatalf("band %d holds %d documents of %d", b, len(seen), visible)
		}
		if visible > t.n*tableLoad || 1<<t.level > t.n || 2<<t.level <= t.n {
			r.t.Fatalf("%d documents in %d buckets of level %d", visible, t.n, t.level)
		}
	}
}

// Entries hold only the low bits of numbers, so all of them come back again and again: none may be taken for another.
func TestBucketsHoldTheWindow(t *testing.T) {
	for _, keys := range []uint64{1 << 32, 100} {
		r := newRolling(t, 1, 3, keys)
		for _, count := range []uint64{1, 7, 40, 41, 3000, 30, 500, 6000, 100, 2000} {
			for r.window.count = count; r.random.IntN(15) > 0; r.check() {
				r.insert(int(r.random.Uint64N(count) + 1))
			}
			r.insert(int(count))
			r.check()
		}
	}
}

// TestBucketsHoldTheTail: when a block is adopted, its documents leave the tables all at once. Their entries are swept or
// merged away before the numbers of new documents are taken for theirs.
func TestBucketsHoldTheTail(t *testing.T) {
	for _, keys := range []uint64{1 << 32, 100} {
		r := newRolling(t, 1<<30, 15, keys)
		visible := func() int { return int(r.window.span().visible()) }
		leave := func(n int) { r.window.files.blocks = []*Block{{end: r.window.span().oldest + Ref(n)}} }
		for _, buckets := range []int{63, 31, 5, 48} {
			most := buckets*tableLoad - len(r.window.buckets.tables)
			for range 50 { // the tables keep their size
				r.insert(max(0, most-visible()))
				leave(r.random.IntN(most / 12))
				r.check()
			}
			r.insert(max(0, most-visible()))
			leave(visible() - r.random.IntN(20))
			for range 8 {
				r.insert(r.random.IntN(1 + most/4))
				r.check()
			}
		}
	}
}

// TestLookupMeetsTheNewest compares lookups with a list of keys: they meet the newest documents of equal key, up to the
// bound.
func TestLookupMeetsTheNewest(t *testing.T) {
	const most = 5
	for _, keys := range []uint64{1, 2, 30, 3000} {
		r := newRolling(t, 1000, 2, keys)
		for range 300 {
			r.insert(1 + r.random.IntN(30))
			key := r.random.Uint64N(keys)
			var want, got []Ref
			for at := int(r.window.end) - 1; at >= int(r.window.oldest) && len(want) < most; at-- {
				if r.band[at] == key {
					want = append(want, Ref(at))
				}
			}
			w := r.window
			w.buckets.Probe(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(key)), 1<<32-1))
			n := w.buckets.Meet(0, most)
			for _, m := range w.buckets.Met() {
				got = append(got, m.Number())
			}
			if !slices.Equal(got, want) || n != len(want) {
				t.Fatalf("key %d of %d: met %v, want %v", key, keys, got, want)
			}
		}
	}
}
