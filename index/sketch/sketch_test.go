package sketch

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
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
			codes := codesOf(s, a)
			checkContract(t, s, slices.Clone(a), codes[1:])
			for width := 4; width <= 8; width++ {
				if n := len(s.AppendKeys([]byte("x"), 1, width)); n != 1+s.Bands()*width {
					t.Errorf("%d bytes of keys for %d bands of %d", n, s.Bands(), width)
				}
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
		})
	}
}

// shinglesFrom cuts bytes into hashes; the last is padded.
func shinglesFrom(data []byte) []uint64 {
	var out []uint64
	for len(data) > 0 {
		var word [8]byte
		data = data[copy(word[:], data):]
		out = append(out, binary.LittleEndian.Uint64(word[:]))
	}
	return out
}

// checkContract checks what the contract of Sketch promises for any shingles and any codes.
func checkContract(t *testing.T, s Sketch, shingles []uint64, noise []byte) {
	t.Helper()
	before := slices.Clone(shingles)
	s.Sign(shingles)
	keys, codes := s.AppendKeys(nil, 3, 5), s.AppendCodes(nil)
	if !slices.Equal(shingles, before) {
		t.Fatal("signing changed the shingles")
	}
	if len(keys) != 5*s.Bands() || len(codes) != s.Size() {
		t.Fatalf("%d bytes of keys for %d bands, %d of codes for a size of %d", len(keys), s.Bands(), len(codes), s.Size())
	}
	if num, den := s.Similarity(codes, codes); num != den || den == 0 {
		t.Fatalf("%d/%d with itself", num, den)
	}
	for _, other := range [][]byte{noise, append(slices.Clone(noise), codes...)[:len(codes)]} {
		if num, den := s.Similarity(codes, other); den == 0 || num > den {
			t.Fatalf("%d/%d with %x", num, den, other)
		}
	}
	slices.Reverse(shingles)
	s.Sign(shingles)
	if !bytes.Equal(codes, s.AppendCodes(nil)) || !bytes.Equal(keys, s.AppendKeys(nil, 3, 5)) {
		t.Fatal("the order of shingles matters")
	}
}

func FuzzMinHash(f *testing.F) {
	f.Add(128, 18, 7, false, []byte("the quick brown fox jumps over the lazy dog"), []byte("noise"))
	f.Add(16, 16, 1, true, []byte{}, []byte{})
	f.Add(1024, 1, 1024, true, bytes.Repeat([]byte("eight by"), 100), bytes.Repeat([]byte{7}, 2048))
	f.Fuzz(func(t *testing.T, slots, bands, rows int, weighted bool, data, noise []byte) {
		s, err := NewMinHashSketch(MinHashParams{Slots: slots, Banding: Banding{bands, rows}, Weighted: weighted})
		if err != nil {
			return
		}
		shingles := shinglesFrom(data)
		checkContract(t, s, shingles, noise)
		m := minhash(t, slots)
		if got, want := signed(m, shingles), naiveSign(slots, shingles); !slices.Equal(got, want) {
			t.Fatalf("got %x, want %x", got, want)
		}
	})
}

func FuzzSimHash(f *testing.F) {
	f.Add(64, 3, false, []byte("the quick brown fox jumps over the lazy dog"), []byte("noise"), uint64(5))
	f.Add(128, 9, true, bytes.Repeat([]byte("eight by"), 100), []byte{}, uint64(math.MaxUint64))
	f.Add(32, 2, false, []byte{}, []byte{1, 2, 3, 4}, uint64(0))
	f.Fuzz(func(t *testing.T, bits, distance int, weighted bool, data, noise []byte, flips uint64) {
		s, err := NewSimHashSketch(SimHashParams{Bits: bits, Distance: distance, Weighted: weighted})
		if err != nil {
			return
		}
		if s.Bands() > maxBands {
			t.Fatalf("%d bands", s.Bands())
		}
		shingles := shinglesFrom(data)
		checkContract(t, s, shingles, noise)
		if weighted && s.(*simHashSketch).hash[0]&math.MaxUint32 != naiveSimHash(remixed(shingles, firstSeed))&math.MaxUint32 {
			t.Fatalf("%x is not the majority", s.(*simHashSketch).hash)
		}
		keys := s.AppendKeys(nil, 0, 8)
		for range distance {
			bit := int(flips % uint64(bits))
			flips /= uint64(bits)
			s.(*simHashSketch).hash[bit/64] ^= 1 << (bit % 64)
		}
		if !candidates(keys, s.AppendKeys(nil, 0, 8), 8) {
			t.Fatalf("no key is equal at a distance of at most %d", distance)
		}
	})
}

func FuzzPlan(f *testing.F) {
	f.Add(0.8, 128, 0.98)
	f.Add(0.001, 16, 0.999)
	f.Add(1.0, 1024, 0.5)
	f.Fuzz(func(t *testing.T, threshold float64, slots int, recall float64) {
		if plan, err := Plan(threshold, slots, recall); err == nil {
			if plan.Validate(slots) != nil || plan.Probability(threshold) < recall {
				t.Fatalf("%v finds %v at %v", plan, plan.Probability(threshold), threshold)
			}
		}
		if plan, err := PlanByArea(threshold, slots); err == nil && plan.Validate(slots) != nil {
			t.Fatalf("%v does not fit %d slots", plan, slots)
		}
	})
}

// Texts of one shingle whose evidence is equal by chance, because it keeps only the upper bits of a hash, are candidates
// no more often than other texts. Of n texts, each pair is one with the probability of a key: for blocks of 16 bits
// n^2/2 x 4 / 2^16, for keys of 32 bits of a MinHash n^2/2 x 13 / 2^32.
func TestKeysDoNotFollowFromEvidence(t *testing.T) {
	const texts, evidence = 2000, 20
	const pairs = texts * (texts - 1) / 2
	for _, test := range []struct {
		name   string
		chance float64 // that two texts share a key
		make   func() (Sketch, error)
	}{
		{"simhash of 32 bits", 2. / (1 << 16), func() (Sketch, error) { return NewSimHashSketch(SimHashParams{Bits: 32, Distance: 1}) }},
		{"simhash of 64 bits", 4. / (1 << 16), func() (Sketch, error) { return NewSimHashSketch(SimHashParams{Bits: 64, Distance: 3}) }},
		{"simhash of 128 bits", 4. / (1 << 32), func() (Sketch, error) { return NewSimHashSketch(SimHashParams{Bits: 128, Distance: 3}) }},
		{"minhash", 13. / (1 << 32), func() (Sketch, error) {
			return NewMinHashSketch(MinHashParams{Slots: 78, Banding: Banding{Bands: 13, Rows: 6}})
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := test.make()
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(32, 2))
			upper := random.Uint64() >> (64 - evidence) << (64 - evidence)
			met := 0
			known := make([]map[[4]byte]int, s.Bands())
			for range texts {
				s.Sign([]uint64{upper | random.Uint64()>>evidence})
				keys := s.AppendKeys(nil, 0, 4)
				for band := range known {
					if known[band] == nil {
						known[band] = map[[4]byte]int{}
					}
					key := [4]byte(keys[4*band:])
					met += known[band][key]
					known[band][key]++
				}
			}
			if expected := pairs * test.chance; float64(met) > 2*expected+3 {
				t.Errorf("%d texts whose evidence is equal share a key %d times; want about %.1f, as of any texts", texts, met, expected)
			}
		})
	}
}
