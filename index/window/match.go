package window

import "github.com/unecho/unecho/index/wire"

// matched is how many probes are looked at together: one for each bit of a word.
const matched = 64

// match looks at the first lines of up to matched probes, from probe number from on. The bits of hits say which of them
// may hold an entry with the tag of the key, those of linked which have a line behind them.
func (l *lookup) match(from int) (hits, linked uint64) {
	probes := l.probes[from:min(from+matched, len(l.probes))]
	if hasMatchBlock() {
		return matchBlock(&probes[0], len(probes))
	}
	return matchEach(probes)
}

func matchEach(probes []probe) (hits, linked uint64) {
	for i := range probes {
		p := &probes[i]
		hits |= uint64(wire.Flag(p.line.has(p.want, p.tag))) << i
		linked |= uint64(wire.Flag(p.line.link() > 0)) << i
	}
	return hits, linked
}
