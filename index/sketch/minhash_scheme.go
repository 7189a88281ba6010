package sketch

import "fmt"

// minHashScheme is fast similarity sketching, with slots in bands of rows.
type minHashScheme struct{}

func (minHashScheme) Name() string { return "minhash" }

func (minHashScheme) ByDistance() bool { return false }

func (minHashScheme) Unread() []string { return []string{"bits", "distance"} }

func (m minHashScheme) Check(p Params) *Wrong {
	banding, err := m.Banding(p)
	if err != nil {
		return &Wrong{"slots", p.Slots, err.Error(), "raise slots or threshold, or lower recall"}
	}
	if err := m.params(p, banding).Validate(); err != nil {
		return &Wrong{"bands", p.Bands, err.Error(), "set both bands and rows within the slots, or neither"}
	}
	return nil
}

func (m minHashScheme) New(p Params) (Sketch, error) {
	banding, err := m.Banding(p)
	if err != nil {
		return nil, err
	}
	return NewMinHashSketch(m.params(p, banding))
}

func (minHashScheme) params(p Params, banding Banding) MinHashParams {
	return MinHashParams{Slots: p.Slots, Banding: banding, Weighted: p.Weighted}
}

func (minHashScheme) Banding(p Params) (Banding, error) {
	switch {
	case p.Bands != 0 || p.Rows != 0:
		return Banding{Bands: p.Bands, Rows: p.Rows}, nil
	case p.ByArea:
		return PlanByArea(p.Threshold, p.Slots)
	}
	return Plan(p.Threshold, p.Slots, p.Recall)
}

func (m minHashScheme) Describe(p Params) (string, error) {
	banding, err := m.Banding(p)
	return fmt.Sprintf("minhash of %d slots in %v", p.Slots, banding), err
}

// Bits writes the lowest bit of each slot, the first slot first. Where two slots are equal the bits agree; of the other
// slots half of the bits agree too.
func (minHashScheme) Bits(p Params, codes []byte) string {
	bits := make([]byte, 0, p.Slots)
	for slot := range p.Slots {
		at := slot * CodeBits
		bits = append(bits, '0'+codes[at/8]>>(at%8)&1)
	}
	return string(bits)
}

func (m minHashScheme) Agree(p Params, pair Pair) (Agreement, error) {
	banding, err := m.Banding(p)
	if err != nil {
		return Agreement{}, err
	}
	a := Agreement{
		Slots: p.Slots, MatchingSlots: Matches(pair.A, pair.B),
		Rows: banding.Rows, Probability: banding.Probability(pair.Jaccard),
	}
	a.Lines = [2]Line{
		{"estimate", fmt.Sprintf("%.4f  %d slots of %d match; off by %+.4f", pair.Estimate, a.MatchingSlots, a.Slots, pair.Estimate-pair.Jaccard)},
		{"bands", fmt.Sprintf("%d of %d are equal, of %d rows each; pairs so similar share one with a probability of %.4f",
			pair.Shared, pair.Keys, a.Rows, a.Probability)},
	}
	a.Apart = fmt.Sprintf("they share no band; pairs of similarity %.4f do with a probability of %.4f", pair.Jaccard,
		a.Probability)
	return a, nil
}
