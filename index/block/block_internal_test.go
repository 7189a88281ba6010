package block

import (
	"bytes"
	"errors"
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
