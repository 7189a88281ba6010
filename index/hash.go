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

// mostMarks are remembered. A member makes one with each snapshot: they reach back through hours of a large group, while a
// checkpoint comes as soon as its snapshot is written, and an accusation after a replay from the snapshot before.
const mostMarks = 1024

// marks remember this replica's hash behind the last marks, for the checkpoints and accusations about them. However many other
// records come in between, they are not forgotten.
type marks struct {
	at   [mostMarks]int64 // next journal offset + 1, so that zero means never
	hash [mostMarks]running
	n    int
}

func (m *marks) set(next int64, h running) {
	i := m.n % mostMarks
	m.at[i], m.hash[i], m.n = next+1, h, m.n+1
}

func (m *marks) get(next int64) (running, bool) {
	for i, at := range m.at {
		if at == next+1 {
			return m.hash[i], true
		}
	}
	return 0, false
}
