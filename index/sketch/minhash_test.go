package sketch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func minhash(t testing.TB, slots int) *minHashSketch {
	t.Helper()
	s, err := NewMinHashSketch(MinHashParams{Slots: slots, Banding: Banding{1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	return s.(*minHashSketch)
}

func signed(s *minHashSketch, shingles []uint64) []uint64 {
	s.Sign(shingles)
	return slices.Clone(s.values)
}

func randomSet(random *rand.Rand, n int) []uint64 {
	set := make([]uint64, n)
	for i := range set {
		set[i] = random.Uint64()
	}
	return set
}

// twoSets returns two sets with this union and this many shared elements. The elements that are not shared are divided
// evenly.
func twoSets(random *rand.Rand, union, shared int) (a, b []uint64) {
	set := randomSet(random, union)
	own := (union - shared) / 2
	return set[:shared+own], slices.Concat(set[:shared], set[shared+own:])
}

func TestNumbersOfSlots(t *testing.T) {
	for _, slots := range []int{16, 18, 128, 1024} {
		if got := len(minhash(t, slots).values); got != slots {
			t.Errorf("%d slots became %d", slots, got)
		}
	}
	for _, slots := range []int{-1, 0, 8, 15, 17, 127, 1025, 1026} {
		_, err := NewMinHashSketch(MinHashParams{Slots: slots, Banding: Banding{1, 1}})
		if want := fmt.Sprintf("make minhash sketch: %d slots are impossible; possible is an even number from 16 to 1024",
			slots); err == nil || err.Error() != want {
			t.Errorf("%d slots: got %v", slots, err)
		}
	}
}

// naiveSign follows the definition in the package comment, with all rounds computed for every slot.
func naiveSign(slots int, shingles []uint64) []uint64 {
	values := make([]uint64, slots)
	for slot := range values {
		values[slot] = math.MaxUint64
	}
	rounds := slots / 8
	for round := range uint64(rounds) {
		for _, s := range shingles {
			// The slot is the integer part of a fraction of 64 bits times the slots.
			h := s * (Mix(round+drawSeed) | 1)
			slot, width := h/(1<<32)*uint64(slots)>>32, uint64(slots)
			for slot+1 < width && lowest(slot+1, width) <= h {
				slot++
			}
			if v := round<<56 | h>>8; v < values[slot] {
				values[slot] = v
			}
		}
	}
	for slot := range values {
		if values[slot] != math.MaxUint64 {
			continue
		}
		for _, s := range shingles {
			values[slot] = min(values[slot], uint64(rounds)<<56|s*(Mix(uint64(rounds+slot)+drawSeed)|1)>>8)
		}
	}
	return values
}

// lowest returns the least hash that draws the slot: slot * 2^64 / slots, rounded up.
func lowest(slot, slots uint64) uint64 {
	return slot*(math.MaxUint64/slots) + (slot*(math.MaxUint64%slots+1)+slots-1)/slots
}

func TestSignIsTheDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, slots := range []int{16, 18, 100, 128, 1024} {
		m := minhash(t, slots)
		for _, n := range []int{0, 1, 2, 7, 30, 300, 3000} {
			shingles := randomSet(random, n)
			if got, want := signed(m, shingles), naiveSign(slots, shingles); !slices.Equal(got, want) {
				t.Errorf("%d slots, %d shingles: got %x, want %x", slots, n, got[:4], want[:4])
			}
		}
	}
}

func TestOrderAndMultiplicityDontMatter(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	m := minhash(t, 128)
	for _, n := range []int{1, 2, 10, 50, 350, 2000} {
		shingles := randomSet(random, n)
		want := signed(m, shingles)
		for range 10 {
			more := slices.Concat(shingles, shingles[:random.IntN(n)+1])
			random.Shuffle(len(more), func(i, j int) { more[i], more[j] = more[j], more[i] })
			if got := signed(m, more); !slices.Equal(got, want) {
				t.Fatalf("%d shingles: the order or number of them changes the sketch", n)
			}
		}
	}
}

// Each slot of a union is the lesser of the two sets' slots. So every slot samples from one fixed order of all
// shingles.
func TestSketchOfAUnion(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for _, slots := range []int{16, 128} {
		m := minhash(t, slots)
		for range 300 {
			a, b := randomSet(random, 1+random.IntN(400)), randomSet(random, 1+random.IntN(400))
			x, y := signed(m, a), signed(m, b)
			for slot, v := range signed(m, slices.Concat(a, b)) {
				if v != min(x[slot], y[slot]) {
					t.Fatalf("slot %d of the union is %x, of the parts %x and %x", slot, v, x[slot], y[slot])
				}
			}
		}
	}
}

func TestAnEarlierRoundIsLess(t *testing.T) {
	m := minhash(t, 1024)
	values := signed(m, []uint64{1})
	rounds := map[uint64]int{}
	for _, v := range values {
		rounds[v>>drawBits]++
	}
	drawn := 0
	for round := range uint64(m.rounds) {
		if rounds[round] > 1 {
			t.Errorf("one shingle filled %d slots in round %d", rounds[round], round)
		}
		drawn += rounds[round]
	}
	if fallback := rounds[uint64(m.rounds)]; drawn+fallback != 1024 || drawn < 100 {
		t.Errorf("%d slots filled in rounds, %d by the fallback", drawn, fallback)
	}
}

func TestEmptyDocument(t *testing.T) {
	for _, v := range signed(minhash(t, 16), nil) {
		if v != math.MaxUint64 {
			t.Fatalf("a slot of an empty document is %x; want %x", v, uint64(math.MaxUint64))
		}
	}
}

func equalValues(a, b []uint64) int {
	n := 0
	for i, v := range a {
		if v == b[i] {
			n++
		}
	}
	return n
}

func TestSigningAllocatesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	m := minhash(t, 128)
	plan := Banding{Bands: 18, Rows: 7}
	shingles := randomSet(random, 340)
	var keys, codes []byte
	sign := func() {
		m.Sign(shingles)
		keys = plan.AppendKeys(keys[:0], m.values, 7, 4)
		codes = m.AppendCodes(codes[:0])
	}
	sign()
	if allocs := testing.AllocsPerRun(50, sign); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// Journals and snapshots store values, codes and keys: a change of them must raise Version and pin the new ones.
func TestPinned(t *testing.T) {
	m := minhash(t, 16)
	var got strings.Builder
	for _, shingles := range [][]uint64{{42}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}} {
		values := signed(m, shingles)
		fmt.Fprintf(&got, "values %x %x %x\n", values[0], values[7], values[15])
		fmt.Fprintf(&got, "codes %x\n", AppendCodes(nil, values))
		fmt.Fprintf(&got, "keys %x\n", Banding{Bands: 3, Rows: 5}.AppendKeys(nil, values, 0, 4))
		fmt.Fprintf(&got, "keys %x\n", Banding{Bands: 2, Rows: 8}.AppendKeys(nil, values, 77, 8))
	}
	const want = `values 2ba93a89e84f940 2b08af89e6aa88a 287f8aa434f0a71
codes 830090ccb283417a
keys c9ff8da213fff4083db271e6
keys bdf50e325ca98c466540940e90208929
values ca023ac907687 71c03a60323651 f68026eacc2436
codes 3c58c09c45c18805
keys 69e97e9ca5296acf3b9c6ee7
keys ef4b8dda38543f88805dfd673db7a1ec
`
	if Version != 2 || got.String() != want {
		t.Errorf("version %d: got\n%swant\n%s", Version, got.String(), want)
	}
}
