package index

import "math/bits"

// running is the hash that replicas compare: order-dependent, over journal offsets, control records, clocks and verdicts.
type running uint64

func (h running) mix(v uint64) running {
	hi, lo := bits.Mul64(uint64(h)^v^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return running(hi ^ lo ^ bits.RotateLeft64(v, 29))
}

func (h running) verdict(v *Verdict) running {
	h = h.mix(uint64(v.Offset)).mix(v.Content).mix(uint64(v.Match.Method) | uint64(flag(v.Reemitted))<<8 | uint64(flag(v.Cut))<<9)
	if !v.Matched() {
		return h
	}
	return h.mix(uint64(v.Match.Position.Offset)).mix(uint64(v.Match.Position.Entry)).
		mix(uint64(v.Match.Similarity.Num)<<32 | uint64(v.Match.Similarity.Den)).mix(v.Match.Copy)
}

// marks remembers the hash at each of the last offsets, so that a checkpoint of the recent past can be compared.
type marks struct {
	at   [4096]int64 // next journal offset + 1, so that zero means never
	hash [4096]running
}

func (m *marks) set(next int64, h running) {
	i := uint64(next) % uint64(len(m.at))
	m.at[i], m.hash[i] = next+1, h
}

func (m *marks) get(next int64) (running, bool) {
	i := uint64(next) % uint64(len(m.at))
	return m.hash[i], m.at[i] == next+1
}
