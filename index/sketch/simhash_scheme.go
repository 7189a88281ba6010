package sketch

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// simHashScheme is Charikar's SimHash, cut into blocks.
type simHashScheme struct{}

func (simHashScheme) Name() string { return "simhash" }

func (simHashScheme) ByDistance() bool { return true }

func (simHashScheme) Unread() []string { return []string{"slots", "plan", "recall"} }

func (s simHashScheme) Check(p Params) *Wrong {
	if p.Bands != 0 || p.Rows != 0 {
		return &Wrong{
			"bands", p.Bands, "are of minhash, and the sketch is simhash",
			"write bands: 0 and rows: 0; simhash has blocks",
		}
	}
	if err := s.params(p).Validate(); err != nil {
		return &Wrong{"distance", p.Distance, err.Error(), "lower it"}
	}
	return nil
}

func (s simHashScheme) New(p Params) (Sketch, error) { return NewSimHashSketch(s.params(p)) }

func (simHashScheme) params(p Params) SimHashParams {
	return SimHashParams{Bits: p.Bits, Distance: p.Distance, Weighted: p.Weighted}
}

func (simHashScheme) Banding(Params) (Banding, error) { return Banding{}, nil }

func (s simHashScheme) Describe(p Params) (string, error) {
	return fmt.Sprintf("simhash of %d bits in %d bands: every pair that differs in up to %d bits becomes a candidate, which may be a small part of those at a similarity",
		p.Bits, s.params(p).bands(), p.Distance), nil
}

// Bits writes the bits, the highest first.
func (simHashScheme) Bits(_ Params, codes []byte) string {
	var b strings.Builder
	for len(codes) >= 4 {
		fmt.Fprintf(&b, "%032b", binary.LittleEndian.Uint32(codes[len(codes)-4:]))
		codes = codes[:len(codes)-4]
	}
	return b.String()
}

func (simHashScheme) Agree(p Params, pair Pair) (Agreement, error) {
	a := Agreement{Bits: p.Bits, Hamming: Hamming(pair.A, pair.B)}
	differ := fmt.Sprintf("differ in %d of %d bits", a.Hamming, a.Bits)
	a.Lines = [2]Line{
		{"Hamming", fmt.Sprintf("%.4f  %d of %d bits differ", pair.Estimate, a.Hamming, a.Bits)},
		{"blocks", fmt.Sprintf("%d of %d keys are equal", pair.Shared, pair.Keys)},
	}
	a.Differ = "their simhashes " + differ
	a.Apart = "they share no block of their simhashes, which " + differ
	return a, nil
}
