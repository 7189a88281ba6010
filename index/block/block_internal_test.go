package block

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/FastFilter/xorfilter"
)

// TestNoFilter: a list whose filter cannot be built may have all keys, and is found; also when it is read.
func TestNoFilter(t *testing.T) {
	var file bytes.Buffer
	w := newWriter(&file)
	w.filter = func(to *xorfilter.BinaryFuseBuilder, keys []uint64) (xorfilter.BinaryFuse[uint8], error) {
		if len(keys) == 3 {
			return xorfilter.BinaryFuse[uint8]{}, errors.New("planned")
		}
		return xorfilter.BuildBinaryFuse[uint8](to, keys)
	}
	written, err := w.writeSorted(nil, 2, func(i int, into []Posting) ([]Posting, error) {
		return append(into, []Posting{{9, 0}, {7, 1}, {8, 2}, {6, 3}}[i:]...), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	read, err := Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []*Block{written, read} {
		yes := [2]int{}
		for list := range yes {
			for key := range uint32(1000) {
				if b.May(list, key) {
					yes[list]++
				}
			}
		}
		if yes[0] > 100 || yes[1] != 1000 {
			t.Errorf("the lists may have %d of 1,000 keys", yes)
		}
		if got := b.Find(nil, 1, file.Bytes()[PageBytes:][:PageBytes], 8); len(got) != 1 || got[0] != 2 {
			t.Errorf("places %d", got)
		}
	}
}

// TestMayAllocatesNothing: nor does Pages, or Find where there is room.
func TestMayAllocatesNothing(t *testing.T) {
	var file bytes.Buffer
	b, err := Write(&file, nil, 1, func(_ int, into []Posting) ([]Posting, error) {
		for i := range uint32(5000) {
			into = append(into, Posting{Key: i / 2, At: i})
		}
		return into, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	into, page := make([]uint32, 0, 10), file.Bytes()[:PageBytes]
	if n := testing.AllocsPerRun(100, func() {
		b.May(0, 77)
		b.Pages(0, 77)
		b.Sound(0, page)
		b.Find(into, 0, page, 77)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestMayAll: all lists are asked together as each is asked alone, and each says what its filter says. Some lists are empty,
// some have no filter, and there are more of them than are asked at once.
func TestMayAll(t *testing.T) {
	const lists = 2*asksAtOnce + 5
	rng := rand.New(rand.NewPCG(3, 39))
	b, err := Write(io.Discard, nil, lists, func(i int, into []Posting) ([]Posting, error) {
		for at := range uint32(i % 7 * 300) {
			into = append(into, Posting{Key: rng.Uint32N(1 << 12), At: at})
		}
		return into, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	b.lists[5].filters[0].Fingerprints = nil
	said := [2]int{}
	for range 1000 {
		keys, got, want := make([]uint32, lists), make([]uint64, lists), make([]uint64, lists)
		for i := range keys {
			keys[i], got[i] = rng.Uint32N(1<<13), uint64(i)<<32
			want[i] = got[i]
			f := b.lists[i].filterOf(keys[i])
			is := f != nil && (len(f.Fingerprints) == 0 || f.Contains(uint64(keys[i])))
			if is != b.May(i, keys[i]) {
				t.Fatalf("list %d may have key %d: %v, and its filter says %v", i, keys[i], !is, is)
			}
			if is {
				want[i] |= 1 << 9
				said[1]++
			} else {
				said[0]++
			}
		}
		if b.MayAll(keys, 1<<9, got); !slices.Equal(got, want) {
			t.Fatalf("all lists say %x, each alone %x", got, want)
		}
	}
	if min(said[0], said[1]) < 1000 {
		t.Errorf("lists said no and yes %d times", said)
	}
}
