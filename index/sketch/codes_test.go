package sketch

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestCodesAreLowBitsOfTheRemix(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	values := randomSet(random, 18)
	four, eight, sixteen := AppendCodes([]byte("x"), values, 4), AppendCodes(nil, values, 8), AppendCodes(nil, values, 16)
	if four[0] != 'x' || len(four) != 1+9 || len(eight) != 18 || len(sixteen) != 36 {
		t.Fatalf("%d, %d and %d bytes", len(four)-1, len(eight), len(sixteen))
	}
	for i := range values {
		code := uint16(sixteen[2*i]) | uint16(sixteen[2*i+1])<<8
		if eight[i] != byte(code) || four[1+i/2]>>(4*(i%2))&15 != byte(code&15) {
			t.Errorf("slot %d: codes %x, %x, %x", i, four[1+i/2], eight[i], code)
		}
	}
}

func TestMatches(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 1))
	for _, bits := range []int{4, 8, 16} {
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
				if (remix(a[i])^remix(b[i]))&(1<<bits-1) == 0 {
					want++
				}
			}
			x, y := AppendCodes(nil, a, bits), AppendCodes(nil, b, bits)
			if got := Matches(x, y, bits); got != want {
				t.Errorf("%d bits, %d slots: %d matches, want %d", bits, slots, got, want)
			}
			if got := Matches(x, x, bits); got != slots {
				t.Errorf("%d bits, %d slots: %d matches with itself", bits, slots, got)
			}
		}
	}
}

// Each pair of codes is tried, because the arithmetic works on eight or sixteen at once.
func TestEveryPairOfCodes(t *testing.T) {
	for a := range 256 {
		for b := range 256 {
			x, y := []byte{byte(a), 1, byte(b), 0, 0xff}, []byte{byte(b), 2, byte(a), 0, 0xff}
			eight, four := 2, 4+1 // 1 and 2 share their upper half
			if a == b {
				eight += 2
			}
			if a&15 == b&15 {
				four += 2
			}
			if a>>4 == b>>4 {
				four += 2
			}
			if Matches(x, y, 8) != eight || Matches(x, y, 4) != four {
				t.Fatalf("%x and %x: %d and %d matches, want %d and %d", x, y, Matches(x, y, 8), Matches(x, y, 4), eight, four)
			}
		}
	}
}

func TestEstimate(t *testing.T) {
	for _, c := range []struct {
		matches, slots, bits int
		num, den             uint32
	}{
		{128, 128, 8, 128 * 255, 128 * 255},
		{0, 128, 8, 0, 128 * 255},
		{8, 128, 4, 0, 128 * 15}, // as many matches as chance alone gives
		{4, 128, 4, 0, 128 * 15}, // and fewer
		{64, 128, 8, 64*256 - 128, 128 * 255},
		{1024, 1024, 16, 1024 * 65535, 1024 * 65535},
	} {
		num, den := Estimate(c.matches, c.slots, c.bits)
		if num != c.num || den != c.den {
			t.Errorf("%d of %d, %d bits: got %d/%d, want %d/%d", c.matches, c.slots, c.bits, num, den, c.num, c.den)
		}
	}
}

// The estimate from codes has the Jaccard similarity as its mean: chance matches are subtracted.
func TestEstimateIsUnbiased(t *testing.T) {
	const slots, trials = 128, 800
	random := rand.New(rand.NewPCG(8, 1))
	m := minhash(t, slots)
	for _, bits := range []int{4, 8, 16} {
		for _, shared := range []int{150, 240, 285} {
			jaccard := float64(shared) / 300
			var bias, square float64
			for range trials {
				a, b := twoSets(random, 300, shared)
				num, den := Estimate(Matches(AppendCodes(nil, signed(m, a), bits), AppendCodes(nil, signed(m, b), bits), bits),
					slots, bits)
				e := float64(num)/float64(den) - jaccard
				bias += e / trials
				square += e * e / trials
			}
			// Li and König 2010: the variance of a binomial share, stretched by the correction.
			chance := math.Pow(2, -float64(bits))
			p := jaccard + (1-jaccard)*chance
			variance := p * (1 - p) / slots / ((1 - chance) * (1 - chance))
			if math.Abs(bias) > 4*math.Sqrt(variance/trials) || square > 1.2*variance {
				t.Errorf("%d bits, similarity %.2f: bias %.5f, mean square error %.6f of %.6f", bits, jaccard, bias, square, variance)
			}
		}
	}
}

func FuzzMatches(f *testing.F) {
	f.Add([]byte("0123456789"), []byte("0123x56y89"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		n := min(len(a), len(b))
		eight, four := 0, 0
		for i := range n {
			d := a[i] ^ b[i]
			if d == 0 {
				eight++
			}
			if d&15 == 0 {
				four++
			}
			if d>>4 == 0 {
				four++
			}
		}
		if got := Matches(a, b, 8); got != eight {
			t.Fatalf("8 bits: %d, want %d", got, eight)
		}
		if got := Matches(a, b, 4); got != four {
			t.Fatalf("4 bits: %d, want %d", got, four)
		}
		Matches(a, b, 16) // half a code at the end does no harm
	})
}
