package text

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestIgnored holds the set against a map.
func TestIgnored(t *testing.T) {
	random := rand.New(rand.NewPCG(39, 2))
	kinds := map[string]func(i int) uint64{
		"spread":        func(int) uint64 { return random.Uint64() },
		"from 0":        func(i int) uint64 { return uint64(i) },
		"to the last":   func(i int) uint64 { return ^uint64(i) },
		"one low half":  func(int) uint64 { return random.Uint64()<<32 | 7 },
		"one high half": func(int) uint64 { return 7<<32 | random.Uint64()>>32 },
	}
	for name, kind := range kinds {
		for _, n := range []int{0, 1, 2, 63, 64, 65, 1000} {
			in, hashes := map[uint64]bool{}, []uint64{}
			for i := range n {
				h := kind(i)
				in[h], hashes = true, append(hashes, h, h)
			}
			set := Ignore("a list", hashes)
			if set.Len() != len(in) {
				t.Errorf("%s: %d of %d hashes", name, set.Len(), len(in))
			}
			asked, want := []uint64{}, []uint64{}
			for i := range 4*n + 10 {
				asked = append(asked, kind(i/2), random.Uint64(), uint64(i), ^uint64(i))
			}
			asked = append(asked, hashes...)
			for _, h := range asked {
				if set.Has(h) != in[h] {
					t.Errorf("%s: %x is one of %d: %v, want %v", name, h, n, set.Has(h), in[h])
				}
				if !in[h] {
					want = append(want, h)
				}
			}
			if got := set.Without(slices.Clone(asked)); !slices.Equal(got, want) {
				t.Errorf("%s: of %d are left %d without %d, want %d", name, len(asked), len(got), n, len(want))
			}
			if got := set.Without(slices.Clone(hashes)); !slices.Equal(got, hashes) {
				t.Errorf("%s: of %d that are all ignored %d are left", name, len(hashes), len(got))
			}
		}
	}
}

func TestShinglingIgnores(t *testing.T) {
	text := []byte("one two three four five six")
	s := shingling(t, "word:3")
	ignoring := s.Ignoring(Ignore("a list", s.AppendHashes(nil, []byte("two three four five"))))
	if got, want := ignoring.AppendHashes([]uint64{1}, text), []uint64{
		1, s.AppendHashes(nil, []byte("one two three"))[0], s.AppendHashes(nil, []byte("four five six"))[0],
	}; !slices.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
	if !(Ignored{}).Read() || (Ignored{Fingerprint: "a list"}).Read() || !Ignore("a list", nil).Read() {
		t.Error("a list is read if it is there, or none")
	}
	hashes := make([]uint64, 0, 100)
	if allocs := testing.AllocsPerRun(50, func() { hashes = ignoring.AppendHashes(hashes[:0], text) }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
