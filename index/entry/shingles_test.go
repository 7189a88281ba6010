package entry_test

import (
	"encoding/hex"
	"errors"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/unecho/unecho/index/entry"
)

// list returns n random hashes, sorted.
func list(r *rand.Rand, n int) []uint64 {
	hashes := make([]uint64, n)
	for i := range hashes {
		hashes[i] = r.Uint64()
	}
	slices.Sort(hashes)
	return hashes
}

// readAll reads in portions of random size.
func readAll(r *rand.Rand, s *entry.ShingleReader) []uint64 {
	var all []uint64
	for {
		portion := make([]uint64, 1+r.IntN(100))
		n := s.Next(portion)
		all = append(all, portion[:n]...)
		if n < len(portion) {
			return all
		}
	}
}

// The upper bits of what was appended are read again: for every number of hashes, for hashes that cluster, and for
// equal ones.
func TestShinglesRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 7, 8, 9, 255, 256, 257, 511, 512, 513, 724, 725, 1024, 1025, 5000, 100_000} {
		for _, spread := range []uint64{0, 1<<64 - 1, 1<<63 - 1, 1<<44 - 1, 1 << 63} {
			hashes := list(r, n)
			for i := range hashes {
				hashes[i] &= spread
			}
			slices.Sort(hashes)
			evidence := entry.AppendShingles([]byte("before"), hashes)[len("before"):]
			s, err := entry.ReadShingles(evidence)
			if err != nil || s.Len() != n {
				t.Fatalf("%d hashes: %v, %d", n, err, s.Len())
			}
			for i := range hashes {
				hashes[i] >>= 64 - s.Width()
			}
			if got := readAll(r, &s); !slices.Equal(got, hashes) {
				t.Fatalf("%d hashes of spread %#x: got %x", n, spread, got[:min(n, 9)])
			}
		}
	}
}

// Enough bits are kept that a pair of sets, neither more than twice as large as the other, has at most half a false
// match on average.
func TestWidthKeepsFalseMatchesRare(t *testing.T) {
	for n := 1; n < 40_000; n += 1 + n/50 {
		s, err := entry.ReadShingles(entry.AppendShingles(nil, make([]uint64, n)))
		if err != nil {
			t.Fatal(err)
		}
		if expected := float64(n) * float64(2*n) / float64(uint64(1)<<s.Width()); expected > 0.5 {
			t.Errorf("%d hashes of %d bits: %.2f false matches", n, s.Width(), expected)
		}
		if n > 2 && s.Width() > max(20, 2*bits.Len(uint(n))+2) {
			t.Errorf("%d hashes of %d bits: more than needed", n, s.Width())
		}
	}
}

// Where one hash decides, as in texts of one or two shingles, it is kept nearly whole: of 10 million such texts, which
// make 5e13 pairs, fewer than one pair in a thousand runs is equal by chance.
func TestWidthOfFewHashes(t *testing.T) {
	const pairs = 5e13
	for n := 1; n <= 2; n++ {
		s, err := entry.ReadShingles(entry.AppendShingles(nil, make([]uint64, n)))
		if err != nil {
			t.Fatal(err)
		}
		if expected := pairs / float64(uint64(1)<<s.Width()); expected > 0.001 {
			t.Errorf("%d hashes keep %d bits each, with which %.4f pairs of 10 million texts are equal by chance; want at most 0.001",
				n, s.Width(), expected)
		}
	}
}

func TestShinglesAreSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	for n, most := range map[int]float64{20: 18.5, 100: 15.1, 340: 13.3, 500: 12.8, 2000: 14.8} {
		if got := float64(8*len(entry.AppendShingles(nil, list(r, n)))) / float64(n); got > most {
			t.Errorf("%d hashes: %.2f bits each, want at most %.2f", n, got, most)
		}
	}
}

// Journals and snapshots hold the bytes: a change of them must raise Version and pin the new ones.
func TestShinglesPinned(t *testing.T) {
	hashes := []uint64{1, 1 << 44, 5 << 60, 5<<60 + 7<<44, 9<<60 | 0xabcde<<40, 1<<64 - 1}
	const want = "0600000200fcff3b0060bc4a860a3311"
	if got := hex.EncodeToString(entry.AppendShingles(nil, hashes)); got != want || entry.Version != 3 {
		t.Errorf("version %d: got %s, want %s", entry.Version, got, want)
	}
}

func TestShinglesRefuseLies(t *testing.T) {
	good := entry.AppendShingles(nil, list(rand.New(rand.NewPCG(4, 2)), 300))
	change := func(at int, by byte) []byte {
		bad := slices.Clone(good)
		bad[at] ^= by
		return bad
	}
	for name, bad := range map[string][]byte{
		"nothing":             {},
		"no hashes":           {0},
		"a number only":       {5},
		"a number cut short":  {0x80},
		"2^63 hashes":         {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1, 1, 1},
		"an endless number":   {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		"one hash less":       change(0, 1),
		"a quotient too many": change(len(good)-1, 0x80),
		"cut short":           good[:len(good)-1],
		"zeros behind":        append(slices.Clone(good), 0),
		"ones behind":         append(slices.Clone(good), 1),
	} {
		if _, err := entry.ReadShingles(bad); !errors.Is(err, entry.ErrCorrupt) {
			t.Errorf("%s: ReadShingles says %v; want %v", name, err, entry.ErrCorrupt)
		}
	}
}

// Evidence that is accepted can be read to the end, and holds no more hashes than its bytes allow.
func FuzzShingles(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 2))
	for _, n := range []int{1, 5, 300, 600} {
		f.Add(entry.AppendShingles(nil, list(r, n)))
	}
	f.Fuzz(func(t *testing.T, evidence []byte) {
		s, err := entry.ReadShingles(evidence)
		if err != nil {
			return
		}
		if s.Len() > len(evidence) {
			t.Fatalf("%d hashes in %d bytes", s.Len(), len(evidence))
		}
		all := make([]uint64, s.Len()+1)
		if n := s.Next(all); n != s.Len() || !slices.IsSorted(all[:n]) {
			t.Fatalf("%d of %d hashes: %x", n, s.Len(), all)
		}
	})
}
