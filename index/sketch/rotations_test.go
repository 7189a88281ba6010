package sketch_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/unecho/unecho/index/sketch"
)

// TestRotationsFindEveryPair compares the rotations with comparing all pairs.
func TestRotationsFindEveryPair(t *testing.T) {
	for _, bits := range []int{32, 64, 128} {
		for distance := 0; ; distance++ {
			r, err := sketch.NewRotations(bits, distance)
			if err != nil {
				if distance < bits/8 {
					t.Errorf("%d bits: %v", bits, err)
				}
				break
			}
			if r.Count() != distance+1 {
				t.Errorf("%d bits, distance %d: %d rotations", bits, distance, r.Count())
			}
			codes := nearHashes(bits, distance, 400)
			for _, c := range codes {
				r.Add(c)
			}
			var got, want [][3]int
			compared := 0
			for rotation := range r.Count() {
				r.Pairs(rotation, func(a, b, d int) { got = append(got, [3]int{a, b, d}) }, func() bool { compared++; return true })
			}
			if compared != len(codes)*r.Count() {
				t.Errorf("%d hashes compared in %d rotations of %d", compared, r.Count(), len(codes))
			}
			for b := range codes {
				for a := range b {
					if d := sketch.Hamming(codes[a], codes[b]); d <= distance {
						want = append(want, [3]int{a, b, d})
					}
				}
			}
			order := func(x, y [3]int) int { return slices.Compare(x[:], y[:]) }
			slices.SortFunc(got, order)
			slices.SortFunc(want, order)
			if len(want) < 50 || !slices.Equal(got, want) {
				t.Fatalf("%d bits, distance %d: %d pairs, %d are true", bits, distance, len(got), len(want))
			}
		}
	}
}

// nearHashes returns hashes of which many are about the distance from another one.
func nearHashes(bits, distance, n int) [][]byte {
	random := rand.New(rand.NewPCG(uint64(bits), uint64(distance)))
	var all [][]byte
	for i := range n {
		code := make([]byte, bits/8)
		for k := range code {
			code[k] = byte(random.Uint32())
		}
		if i > 0 && i%2 == 0 {
			copy(code, all[random.IntN(i)])
			for range random.IntN(distance + 3) {
				flip := random.IntN(bits)
				code[flip/8] ^= 1 << (flip % 8)
			}
		}
		all = append(all, code)
	}
	return all
}

// Once stopped in the middle of many equal hashes, Pairs compares no more.
func TestRotationsStop(t *testing.T) {
	r, err := sketch.NewRotations(64, 3)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		r.Add(make([]byte, 8))
	}
	pairs, compared := 0, 0
	r.Pairs(0, func(_, _, _ int) { pairs++ }, func() bool { compared++; return compared < 4 })
	if pairs != 0+1+2+3 || compared != 4 {
		t.Errorf("%d pairs, %d hashes compared", pairs, compared)
	}
}

func TestRotationsRefuse(t *testing.T) {
	for _, test := range []struct {
		bits, distance int
		want           string
	}{
		{48, 3, "a simhash of 48 bits is impossible; possible are 32, 64 and 128"},
		{64, -1, "a distance of -1 bits is impossible; with 64 bits possible is 0 to 14, by sorted rotations"},
		{64, 15, "a distance of 15 bits is impossible; with 64 bits possible is 0 to 14, by sorted rotations"},
	} {
		if _, err := sketch.NewRotations(test.bits, test.distance); fmt.Sprint(err) != test.want {
			t.Errorf("%d bits, distance %d: %v", test.bits, test.distance, err)
		}
	}
}
