package block

import (
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/FastFilter/xorfilter"
)

// TestSizes: a block takes as much memory, when it is there and while it is made, and as much of a file as is reckoned.
func TestSizes(t *testing.T) {
	const lists = 2
	for _, postings := range []int64{30_000, 37_500, 125_000, 1_000_000} {
		w, most := measured(io.Discard)
		rng := rand.New(rand.NewPCG(1, 9))
		b, err := w.writeSorted(nil, lists, func(_ int, into []Posting) ([]Posting, error) {
			for at := range uint32(postings) {
				into = append(into, Posting{Key: rng.Uint32(), At: at})
			}
			return into, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		about(t, "bytes in memory", b.Memory(), lists*MemoryOf(postings), 0.05)
		about(t, "bytes of the file", b.Size(), lists*SizeOf(postings), 0.05)
		about(t, "bytes while it is made", most(), postings*MakingBytes+MemoryOf(postings), 0.15)
	}
}

// measured returns a writer, and how many bytes it has taken at most when it built a filter.
func measured(to io.Writer) (w *writer, most func() int64) {
	var making, before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	w, taken := newWriter(to), int64(0)
	w.filter = func(to *xorfilter.BinaryFuseBuilder, keys []uint64) (xorfilter.BinaryFuse[uint8], error) {
		defer func() {
			runtime.GC()
			runtime.ReadMemStats(&making)
			taken = max(taken, int64(making.HeapAlloc)-int64(before.HeapAlloc))
		}()
		return xorfilter.BuildBinaryFuse[uint8](to, keys)
	}
	return w, func() int64 { return taken }
}

// TestMergeIsBounded: however many postings blocks have, to merge them takes the same memory beside the block.
func TestMergeIsBounded(t *testing.T) {
	for _, each := range []uint32{150_000, 300_000} {
		rng, parts := rand.New(rand.NewPCG(2, 9)), make([]Part, 8)
		for k := range parts {
			var file bytes.Buffer
			b, err := Write(&file, nil, 1, func(_ int, into []Posting) ([]Posting, error) {
				for at := range each {
					into = append(into, Posting{Key: rng.Uint32(), At: at})
				}
				return into, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			parts[k] = Part{Block: b, File: bytes.NewReader(file.Bytes()), Shift: uint32(k) * each}
		}
		w, most := measured(io.Discard)
		b, err := w.write(nil, 1, func(i int) error { return w.merge(i, parts) })
		if err != nil {
			t.Fatal(err)
		}
		postings := int64(len(parts)) * int64(each)
		about(t, "bytes in memory", b.Memory(), MemoryOf(postings), 0.05)
		about(t, "bytes while blocks are merged", most(), MergingBytes+b.Memory(), 0.15)
	}
}

func about(t *testing.T, what string, is, reckoned int64, within float64) {
	t.Helper()
	t.Logf("%d %s, %d reckoned", is, what, reckoned)
	if math.Abs(float64(reckoned-is)) > within*float64(is) {
		t.Errorf("%d %s, %d reckoned", is, what, reckoned)
	}
}
