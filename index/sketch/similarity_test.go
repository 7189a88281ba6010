package sketch

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestCodesAreLowBitsOfTheRemix(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	values := randomSet(random, 18)
	codes := AppendCodes([]byte("x"), values)
	if codes[0] != 'x' || len(codes) != 1+9 {
		t.Fatalf("%d bytes", len(codes)-1)
	}
	for i, v := range values {
		if got, want := codes[1+i/2]>>(4*(i%2))&15, byte(remix(v)&15); got != want {
			t.Errorf("slot %d has the code %x, want %x", i, got, want)
		}
	}
}

func TestMatches(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 1))
	for _, slots := range []int{16, 18, 22, 100, 128, 1024} {
		a := randomSet(random, slots)
		b := randomSet(random, slots)
		for i := range b {
			if random.IntN(3) > 0 {
				b[i] = a[i]
			}
		}
		want := 0
		for i := range a {
			if (remix(a[i])^remix(b[i]))&15 == 0 {
				want++
			}
		}
		x, y := AppendCodes(nil, a), AppendCodes(nil, b)
		if got := Matches(x, y); got != want {
			t.Errorf("%d slots: %d matches, want %d", slots, got, want)
		}
		if got := Matches(x, x); got != slots {
			t.Errorf("%d slots: %d matches with itself", slots, got)
		}
	}
}

// Each pair of codes is tried, because the arithmetic works on sixteen at once.
func TestEveryPairOfCodes(t *testing.T) {
	for a := range 256 {
		for b := range 256 {
			x, y := []byte{byte(a), 1, byte(b), 0, 0xff}, []byte{byte(b), 2, byte(a), 0, 0xff}
			want := 4 + 1 // 1 and 2 share their upper half
			if a&15 == b&15 {
				want += 2
			}
			if a>>4 == b>>4 {
				want += 2
			}
			if got := Matches(x, y); got != want {
				t.Fatalf("%x and %x: %d matches, want %d", x, y, got, want)
			}
		}
	}
}

func TestEstimate(t *testing.T) {
	for _, c := range []struct {
		matches, slots int
		num, den       uint32
	}{
		{128, 128, 128 * 15, 128 * 15},
		{0, 128, 0, 128 * 15},
		{8, 128, 0, 128 * 15}, // as many matches as chance alone gives
		{4, 128, 0, 128 * 15}, // and fewer
		{64, 128, 64*16 - 128, 128 * 15},
		{1024, 1024, 1024 * 15, 1024 * 15},
	} {
		num, den := Estimate(c.matches, c.slots)
		if num != c.num || den != c.den {
			t.Errorf("%d of %d: got %d/%d, want %d/%d", c.matches, c.slots, num, den, c.num, c.den)
		}
	}
}

// The estimate from codes has the Jaccard similarity as its mean: chance matches are subtracted.
func TestEstimateIsUnbiased(t *testing.T) {
	const slots, trials = 128, 800
	random := rand.New(rand.NewPCG(8, 1))
	m := minhash(t, slots)
	for _, shared := range []int{150, 240, 285} {
		jaccard := float64(shared) / 300
		var bias, square float64
		for range trials {
			a, b := twoSets(random, 300, shared)
			num, den := Estimate(Matches(AppendCodes(nil, signed(m, a)), AppendCodes(nil, signed(m, b))), slots)
			e := float64(num)/float64(den) - jaccard
			bias += e / trials
			square += e * e / trials
		}
		// Li and König 2010: the variance of a binomial share, stretched by the correction.
		const chance = 1.0 / 16
		p := jaccard + (1-jaccard)*chance
		variance := p * (1 - p) / slots / ((1 - chance) * (1 - chance))
		if math.Abs(bias) > 4*math.Sqrt(variance/trials) || square > 1.2*variance {
			t.Errorf("similarity %.2f: bias %.5f, mean square error %.6f of %.6f", jaccard, bias, square, variance)
		}
	}
}

func FuzzMatches(f *testing.F) {
	f.Add([]byte("0123456789"), []byte("0123x56y89"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		want := 0
		for i := range min(len(a), len(b)) {
			d := a[i] ^ b[i]
			if d&15 == 0 {
				want++
			}
			if d>>4 == 0 {
				want++
			}
		}
		if got := Matches(a, b); got != want {
			t.Fatalf("%d matches, want %d", got, want)
		}
	})
}

func TestJaccard(t *testing.T) {
	for _, c := range []struct {
		a, b          []uint64
		shared, union int
	}{
		{nil, nil, 0, 0},
		{nil, []uint64{1}, 0, 1},
		{[]uint64{1}, []uint64{1}, 1, 1},
		{[]uint64{1, 2, 3}, []uint64{4, 5}, 0, 5},
		{[]uint64{1, 2, 3, 9}, []uint64{2, 3, 4}, 2, 5},
		{[]uint64{0, math.MaxUint64}, []uint64{math.MaxUint64}, 1, 2},
		{[]uint64{1, 1, 5}, []uint64{1, 1, 1, 6}, 2, 5}, // multisets
	} {
		for range 2 {
			if shared, union := Jaccard(c.a, c.b); shared != c.shared || union != c.union {
				t.Errorf("%v and %v: got %d/%d, want %d/%d", c.a, c.b, shared, union, c.shared, c.union)
			}
			c.a, c.b = c.b, c.a
		}
	}
}

func TestJaccardOfRandomSets(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 1))
	for range 500 {
		union := random.IntN(200)
		shared := random.IntN(union + 1)
		a, b := twoSets(random, union, shared)
		a = slices.Sorted(slices.Values(a))
		slices.Sort(b)
		if gotShared, gotUnion := Jaccard(a, b); gotShared != shared || gotUnion != union {
			t.Fatalf("got %d/%d, want %d/%d", gotShared, gotUnion, shared, union)
		}
	}
}

func TestAtLeast(t *testing.T) {
	for _, c := range []struct {
		num, den  uint32
		threshold int
		want      bool
	}{
		{4, 5, 8000, true},
		{3, 5, 8000, false},
		{7999, 10000, 8000, false},
		{1, 3, 3333, true},
		{1, 3, 3334, false},
		{1, 1, 10000, true},
		{0, 1, 0, true},
		{0, 1, 1, false},
		{0, 0, 0, false},
		{0, 0, 8000, false},
		{math.MaxUint32, math.MaxUint32, 10000, true},
		{math.MaxUint32 - 1, math.MaxUint32, 10000, false},
	} {
		if got := AtLeast(c.num, c.den, c.threshold); got != c.want {
			t.Errorf("%d/%d against %d: got %t", c.num, c.den, c.threshold, got)
		}
	}
}
