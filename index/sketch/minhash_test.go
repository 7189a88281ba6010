package sketch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func minhash(t testing.TB, slots int) *MinHash {
	t.Helper()
	m, err := NewMinHash(slots)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func signed(m *MinHash, shingles []uint64) []uint64 {
	values := make([]uint64, m.Slots())
	m.Sign(values, shingles)
	return values
}

func randomSet(random *rand.Rand, n int) []uint64 {
	set := make([]uint64, n)
	for i := range set {
		set[i] = random.Uint64()
	}
	return set
}

// twoSets have the given union and shared elements; what is left over is halved.
func twoSets(random *rand.Rand, union, shared int) (a, b []uint64) {
	set := randomSet(random, union)
	own := (union - shared) / 2
	return set[:shared+own], slices.Concat(set[:shared], set[shared+own:])
}

func TestNewMinHash(t *testing.T) {
	for _, slots := range []int{16, 18, 128, 1024} {
		if got := minhash(t, slots).Slots(); got != slots {
			t.Errorf("%d slots became %d", slots, got)
		}
	}
	for _, slots := range []int{-1, 0, 8, 15, 17, 127, 1025, 1026} {
		_, err := NewMinHash(slots)
		if want := fmt.Sprintf("make minhash: %d slots are impossible; possible is an even number from 16 to 1024", slots); err == nil || err.Error() != want {
			t.Errorf("%d slots: got %v", slots, err)
		}
	}
}

// naiveSign follows the definition of the package comment, with all rounds played for every slot.
func naiveSign(slots int, shingles []uint64) []uint64 {
	values := make([]uint64, slots)
	for slot := range values {
		values[slot] = math.MaxUint64
	}
	rounds := slots / 8
	for round := range uint64(rounds) {
		for _, s := range shingles {
			// The slot is the integer part of a fraction of 64 bits times the slots, the draw is what is behind the point.
			h := mix(s ^ mix(round+roundSeed))
			slot, width := h/(1<<32)*uint64(slots)>>32, uint64(slots)
			for slot+1 < width && lowest(slot+1, width) <= h {
				slot++
			}
			if v := round<<56 | (h*width)>>8; v < values[slot] {
				values[slot] = v
			}
		}
	}
	for slot := range values {
		if values[slot] != math.MaxUint64 {
			continue
		}
		for _, s := range shingles {
			values[slot] = min(values[slot], uint64(rounds)<<56|mix(s^mix(uint64(slot)+slotSeed))>>8)
		}
	}
	return values
}

// lowest is the least hash that draws the slot: the ceiling of slot * 2^64 / slots.
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

// Of a union each slot is the lesser of the two: so every slot samples from one fixed order of all shingles.
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
			t.Fatalf("%x", v)
		}
	}
}

// The share of equal slots has the mean of the Jaccard similarity, and no more variance than independent permutations.
func TestAccuracy(t *testing.T) {
	const slots, trials = 128, 800
	seed := uint64(20261121)
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	m := minhash(t, slots)
	for _, union := range []int{5, 20, 100, 350, 2000} {
		for _, share := range []float64{0.2, 0.5, 0.8, 0.95} {
			shared := int(math.Round(share * float64(union)))
			jaccard := float64(shared) / float64(union)
			var bias, square float64
			for range trials {
				a, b := twoSets(random, union, shared)
				e := float64(equalValues(signed(m, a), signed(m, b)))/slots - jaccard
				bias += e / trials
				square += e * e / trials
			}
			classic := jaccard * (1 - jaccard) / slots
			// Four standard errors of the mean, and 20% above the variance: four standard errors of a mean square.
			if limit := 4*math.Sqrt(classic/trials) + 1e-12; math.Abs(bias) > limit {
				t.Errorf("union %d, similarity %.3f: bias %.5f beyond %.5f", union, jaccard, bias, limit)
			}
			if square > 1.2*classic {
				t.Errorf("union %d, similarity %.3f: mean square error %.6f, classic %.6f", union, jaccard, square, classic)
			}
			if classic > 0 && union < slots && square > 0.8*classic {
				t.Errorf("union %d, similarity %.3f: %.2f of the classic variance is no gain for a short text", union, jaccard, square/classic)
			}
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
	shingles, values := randomSet(random, 340), make([]uint64, 128)
	var keys, codes []byte
	sign := func() {
		m.Sign(values, shingles)
		keys = plan.AppendKeys(keys[:0], values, 7, 4)
		codes = AppendCodes(codes[:0], values, 8)
	}
	sign()
	if allocs := testing.AllocsPerRun(50, sign); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// Values, codes and keys go into journals and snapshots: who changes them raises Version, and pins the new ones.
func TestPinned(t *testing.T) {
	m := minhash(t, 16)
	var got strings.Builder
	for _, shingles := range [][]uint64{{42}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}} {
		values := signed(m, shingles)
		fmt.Fprintf(&got, "values %x %x %x\n", values[0], values[7], values[15])
		for _, bits := range []int{4, 8, 16} {
			fmt.Fprintf(&got, "codes%d %x\n", bits, AppendCodes(nil, values, bits))
		}
		fmt.Fprintf(&got, "keys %x\n", Banding{Bands: 3, Rows: 5}.AppendKeys(nil, values, 0, 4))
		fmt.Fprintf(&got, "keys %x\n", Banding{Bands: 2, Rows: 8}.AppendKeys(nil, values, 77, 8))
	}
	const want = `values 20cf5d74fec774d 21da9bf592a40ca 2cc21dc15c520dc
codes4 46edd3250ecc196d
codes8 a6548d1e839df5e27e60cc4cc9b12df6
codes16 a6f9549c8dd41e7a83549dfff5ade2cb7e03600dcc354cbfc96eb1b52d5af663
keys 541b9e731543da219416c0d4
keys f0542dd5617ddcdf98afb9812005e32a
values 3f6fe0f1c0e3b8 f6d33d1ebd347f 176bf41ec0cd414
codes4 53aecaea688f8e96
codes8 33b5fe5a2aacca4eb886ef483e4886c9
codes16 3373b5c2fec75a7e2af1acf0ca764e8ab80e86a4ef62489a3e53483d8666c973
keys ba065a94bc27c53d70bb6110
keys 41e23dad378bb51cdf5edb2321394b33
`
	if Version != 1 || got.String() != want {
		t.Errorf("version %d: got\n%swant\n%s", Version, got.String(), want)
	}
}
