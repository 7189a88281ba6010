package sketch

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

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
	if num, den := s.Similarity(codes, codes); num != den {
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
