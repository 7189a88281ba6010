package index

import (
	"encoding/binary"
	"math/bits"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/wire"
)

// running is the hash by which replicas are compared. It covers journal offsets, control records, clocks and verdicts,
// and depends on their order.
type running uint64

// began is the hash of a replica that has applied nothing.
func began(fingerprint uint64) running { return running(0).mix(fingerprint) }

func (h running) mix(v uint64) running {
	hi, lo := bits.Mul64(uint64(h)^v^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return running(hi ^ lo ^ bits.RotateLeft64(v, 29))
}

// request covers the request of an entry that has one.
func (h running) request(of *entry.Request) running {
	if *of == (entry.Request{}) {
		return h
	}
	return h.mix(binary.LittleEndian.Uint64(of[:8])).mix(binary.LittleEndian.Uint64(of[8:]))
}

func (h running) verdict(v *Verdict) running {
	if v.Late != 0 {
		h = h.mix(uint64(v.Late))
	}
	h = h.mix(uint64(v.Offset)).mix(v.Content).
		mix(uint64(v.Match.Method) | uint64(wire.Flag(v.Reemitted))<<8 | uint64(wire.Flag(v.Cut))<<9)
	if !v.Matched() {
		return h
	}
	return h.mix(uint64(v.Match.Position.Offset)).mix(uint64(v.Match.Position.Entry)).
		mix(uint64(v.Match.Similarity.Num)<<32 | uint64(v.Match.Similarity.Den)).mix(v.Match.Copy)
}

// mostMarks is how many marks are remembered. A member makes one with each snapshot, so they reach back for hours in a
// large group. A checkpoint comes as soon as its snapshot is written, an accusation after a replay from the snapshot
// before; both need a recent mark.
const mostMarks = 1024

// marks remember this replica's hash after each of the last mostMarks marks, for the checkpoints and accusations that
// refer to them. Other records between the marks do not push any out.
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
