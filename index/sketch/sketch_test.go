package sketch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// kinds are sketches of each kind and size, with every setting varied.
func kinds(t testing.TB) map[string]Sketch {
	t.Helper()
	out := map[string]Sketch{}
	add := func(name string, s Sketch, err error) {
		if err != nil {
			t.Fatalf("making the sketch %s: %v", name, err)
		}
		out[name] = s
	}
	for _, weighted := range []bool{false, true} {
		for _, p := range []MinHashParams{
			{Slots: 128, Banding: Banding{18, 7}},
			{Slots: 16, Banding: Banding{3, 5}},
			{Slots: 256, Banding: Banding{28, 9}},
		} {
			p.Weighted = weighted
			s, err := NewMinHashSketch(p)
			add(fmt.Sprintf("minhash%d/weighted=%t", p.Slots, weighted), s, err)
		}
		for _, p := range []SimHashParams{
			{Bits: 32, Distance: 1},
			{Bits: 64, Distance: 3},
			{Bits: 64, Distance: 5},
			{Bits: 128, Distance: 7},
		} {
			p.Weighted = weighted
			s, err := NewSimHashSketch(p)
			add(fmt.Sprintf("simhash%d/distance=%d/weighted=%t", p.Bits, p.Distance, weighted), s, err)
		}
	}
	return out
}

func codesOf(s Sketch, shingles []uint64) []byte {
	s.Sign(shingles)
	return s.AppendCodes(nil)
}

// The part of the contract that every kind keeps.
func TestContract(t *testing.T) {
	for name, s := range kinds(t) {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(21, 1))
			a, b := twoSets(random, 300, 290)
			before := slices.Clone(a)
			codes := codesOf(s, a)
			if !slices.Equal(a, before) {
				t.Error("signing changed the shingles")
			}
			if len(codes) != s.Size() {
				t.Errorf("%d bytes of codes, not %d", len(codes), s.Size())
			}
			for width := 4; width <= 8; width++ {
				if n := len(s.AppendKeys([]byte("x"), 1, width)); n != 1+s.Bands()*width {
					t.Errorf("%d bytes of keys for %d bands of %d", n, s.Bands(), width)
				}
			}
			if num, den := s.Similarity(codes, codes); num != den || den == 0 {
				t.Errorf("%d/%d with itself", num, den)
			}
			near, den := s.Similarity(codes, codesOf(s, b))
			far, _ := s.Similarity(codes, codesOf(s, randomSet(random, 300)))
			if near <= far || near > den {
				t.Errorf("%d/%d with a near text, %d with another", near, den, far)
			}
			for _, wrong := range [][]byte{nil, codes[1:], append(codes, 0)} {
				if num, den := s.Similarity(codes, wrong); num != 0 || den != 1 {
					t.Errorf("%d/%d with codes of %d bytes", num, den, len(wrong))
				}
			}
			random.Shuffle(len(a), func(i, j int) { a[i], a[j] = a[j], a[i] })
			if !slices.Equal(codesOf(s, a), codes) {
				t.Error("the order of shingles matters")
			}
		})
	}
}
