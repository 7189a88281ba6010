package block

import (
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
		var making, before runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		w := newWriter(io.Discard)
		w.filter = func(to *xorfilter.BinaryFuseBuilder, keys []uint64) (xorfilter.BinaryFuse[uint8], error) {
			defer func() {
				runtime.GC()
				runtime.ReadMemStats(&making)
			}()
			return xorfilter.BuildBinaryFuse[uint8](to, keys)
		}
		rng := rand.New(rand.NewPCG(1, 9))
		b, err := w.write(nil, lists, func(_ int, into []Posting) ([]Posting, error) {
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
		about(t, "bytes while it is made", int64(making.HeapAlloc-before.HeapAlloc), postings*MakingBytes+MemoryOf(postings), 0.15)
	}
}

func about(t *testing.T, what string, is, reckoned int64, within float64) {
	t.Helper()
	t.Logf("%d %s, %d reckoned", is, what, reckoned)
	if math.Abs(float64(reckoned-is)) > within*float64(is) {
		t.Errorf("%d %s, %d reckoned", is, what, reckoned)
	}
}
