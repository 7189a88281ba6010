package sketch

import (
	"math/rand/v2"
	"testing"
)

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
