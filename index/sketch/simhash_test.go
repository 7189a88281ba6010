package sketch

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func simhash(t testing.TB, p SimHashParams) *simHashSketch {
	t.Helper()
	s, err := NewSimHashSketch(p)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*simHashSketch)
}

// naiveSimHash counts bit by bit.
func naiveSimHash(hashes []uint64) (out uint64) {
	for bit := range 64 {
		set := 0
		for _, h := range hashes {
			set += int(h >> bit & 1)
		}
		if 2*set > len(hashes) {
			out |= 1 << bit
		}
	}
	return out
}

// remixed returns the hashes of which a word is made.
func remixed(shingles []uint64, seed uint64) []uint64 {
	mixed := slices.Clone(shingles)
	for i := range mixed {
		mixed[i] = Mix(mixed[i] ^ seed)
	}
	return mixed
}

func TestSimHashIsTheMajority(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 1))
	for n := range 600 {
		hashes := randomSet(random, n)
		if n%3 == 0 { // skewed, so that counts of all sizes occur
			for i := range hashes {
				hashes[i] &= random.Uint64() | 0xffff
				hashes[i] |= random.Uint64() & 0xff
			}
		}
		if got, want := simHash(hashes), naiveSimHash(hashes); got != want {
			t.Fatalf("%d hashes: got %x, want %x", n, got, want)
		}
	}
	if got := simHash(slices.Repeat([]uint64{7}, 100_000)); got != 7 {
		t.Errorf("of one hash, 100,000 times: %x", got)
	}
}

// Flipping up to the distance of bits leaves at least one band unchanged: nothing within the distance is missed.
func TestBlocksAreComplete(t *testing.T) {
	for _, p := range []SimHashParams{
		{Bits: 32, Distance: 0},
		{Bits: 32, Distance: 1},
		{Bits: 32, Distance: 3},
		{Bits: 64, Distance: 1},
		{Bits: 64, Distance: 3},
		{Bits: 64, Distance: 4},
		{Bits: 128, Distance: 2},
	} {
		s := simhash(t, p)
		flip(words{}, p.Bits, p.Distance, func(flipped words) {
			if !slices.ContainsFunc(s.bands, func(band words) bool { return flipped[0]&band[0]|flipped[1]&band[1] == 0 }) {
				t.Fatalf("%+v: %x touches all bands", p, flipped)
			}
		})
	}
}

// flip visits all words in which up to this many of the first bits are flipped.
func flip(w words, bits, distance int, visit func(words)) {
	visit(w)
	if distance == 0 {
		return
	}
	for bit := range bits {
		next := w
		next[bit/64] ^= 1 << (bit % 64)
		flip(next, bit, distance-1, visit)
	}
}

// The same is tried through the keys, for the widest sketch and distances that have too many flips to try all.
func TestKeysAreComplete(t *testing.T) {
	random := rand.New(rand.NewPCG(32, 1))
	for _, p := range []SimHashParams{
		{Bits: 32, Distance: 1}, {Bits: 64, Distance: 3}, {Bits: 64, Distance: 6}, {Bits: 128, Distance: 7}, {Bits: 128, Distance: 9},
	} {
		s := simhash(t, p)
		for range 2000 {
			s.Sign(randomSet(random, 20))
			keys, codes := s.AppendKeys(nil, 9, 4), s.AppendCodes(nil)
			for range random.IntN(p.Distance + 1) {
				bit := random.IntN(p.Bits)
				s.hash[bit/64] ^= 1 << (bit % 64)
			}
			num, den := s.Similarity(codes, s.AppendCodes(nil))
			if int(den)-int(num) > p.Distance {
				t.Fatalf("%+v: %d of %d bits are equal", p, num, den)
			}
			if !candidates(keys, s.AppendKeys(nil, 9, 4), 4) {
				t.Fatalf("%+v: no key is equal at a distance of %d", p, den-num)
			}
		}
	}
}

// Each bit belongs to as many bands as any other of its block, and unrelated documents are rarely candidates.
func TestKeysTellApart(t *testing.T) {
	random := rand.New(rand.NewPCG(33, 1))
	for _, p := range []SimHashParams{{Bits: 64, Distance: 4}, {Bits: 128, Distance: 3}} {
		s := simhash(t, p)
		var all words
		for _, band := range s.bands {
			all[0], all[1] = all[0]|band[0], all[1]|band[1]
			if n := bits.OnesCount64(band[0]) + bits.OnesCount64(band[1]); n < p.keyBits(p.blocks()) || n > p.keyBits(p.blocks())+3 {
				t.Errorf("%+v: a band of %d bits, %d expected", p, n, p.keyBits(p.blocks()))
			}
		}
		if n := bits.OnesCount64(all[0]) + bits.OnesCount64(all[1]); n != p.Bits {
			t.Errorf("%+v: %d bits are in a band", p, n)
		}
		s.Sign(randomSet(random, 50))
		keys := s.AppendKeys(nil, 1, 8)
		if candidates(keys, s.AppendKeys(nil, 2, 8), 8) {
			t.Errorf("%+v: candidates in another scope", p)
		}
		for range 100 {
			s.Sign(randomSet(random, 50))
			if candidates(keys, s.AppendKeys(nil, 1, 8), 8) {
				t.Errorf("%+v: unrelated documents are candidates", p)
			}
		}
	}
}

func TestHamming(t *testing.T) {
	for _, c := range []struct {
		a, b []byte
		want int
	}{
		{nil, nil, 0},
		{[]byte{0xff, 0}, []byte{0xff, 0}, 0},
		{[]byte{0xff, 0}, []byte{0, 0x80}, 9},
		{[]byte{1}, []byte{0, 0xff}, 1},
		{[]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 0}, []byte{0, 2, 3, 4, 5, 6, 7, 0xff, 8, 0xff}, 1 + 7 + 1 + 8},
	} {
		if got := Hamming(c.a, c.b); got != c.want {
			t.Errorf("%x and %x: got %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestDistanceAt(t *testing.T) {
	for _, bits := range []int{32, 64, 128} {
		for threshold := range 10001 {
			want := bits
			for want > 0 && !AtLeast(uint32(bits-want), uint32(bits), threshold) {
				want--
			}
			if got := DistanceAt(threshold, bits); got != want {
				t.Fatalf("%d bits at %d: got %d, want %d", bits, threshold, got, want)
			}
		}
	}
}

// Unweighted, a shingle counts once however often it occurs; weighted, as often as it occurs.
func TestWeightedSimHash(t *testing.T) {
	random := rand.New(rand.NewPCG(34, 1))
	once := randomSet(random, 31)
	often := slices.Concat(once, slices.Repeat(once[:1], 40))
	for _, bits := range []int{32, 64, 128} {
		plain, weighted := simhash(t, SimHashParams{Bits: bits, Distance: 1}),
			simhash(t, SimHashParams{Bits: bits, Distance: 1, Weighted: true})
		if !bytes.Equal(codesOf(plain, once), codesOf(plain, often)) {
			t.Errorf("%d bits: a repetition counts", bits)
		}
		if !bytes.Equal(codesOf(weighted, once), codesOf(plain, once)) {
			t.Errorf("%d bits: weighted differs without a repetition", bits)
		}
		if !bytes.Equal(codesOf(weighted, often), codesOf(plain, once[:1])) {
			t.Errorf("%d bits: the one of most weight does not decide", bits)
		}
	}
}

func TestSimHashAllocatesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(35, 1))
	shingles := randomSet(random, 340)
	s := simhash(t, SimHashParams{Bits: 128, Distance: 7})
	var out []byte
	sign := func() {
		s.Sign(shingles)
		out = s.AppendCodes(s.AppendKeys(out[:0], 1, 4))
	}
	sign()
	if allocs := testing.AllocsPerRun(50, sign); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// Journals and snapshots store codes and keys: a change of them must raise simHashVersion and pin the new ones.
func TestSimHashPinned(t *testing.T) {
	var shingles []uint64
	for i := range uint64(20) {
		shingles = append(shingles, Mix(i))
	}
	var got strings.Builder
	for _, p := range []SimHashParams{
		{Bits: 32, Distance: 1},
		{Bits: 64, Distance: 4},
		{Bits: 128, Distance: 1},
	} {
		s := simhash(t, p)
		fmt.Fprintf(&got, "%x %x\n", codesOf(s, shingles), s.AppendKeys(nil, 77, 4))
	}
	const want = `0a4fc539 7cc71087012c4f59
0a4fc53968b5870b 4b9e35c9113d88f4146c49aa183f6f50beab616074ec5de342452b95e1e69cbc70322616b77908b16ea9f9dbfd7a7aaef03a2f3dbf4ef940b38d3e25
0a4fc53968b5870b50180179b600282c bf65e98d2d53c136
`
	if simHashVersion != 3 || got.String() != want {
		t.Errorf("version %d: got\n%swant\n%s", simHashVersion, got.String(), want)
	}
	var first [8]byte
	binary.LittleEndian.PutUint64(first[:], naiveSimHash(remixed(shingles, firstSeed)))
	if s := simhash(t, SimHashParams{Bits: 128}); !bytes.Equal(codesOf(s, shingles)[:8], first[:]) {
		t.Error("codes are not the words, little endian")
	}
}
