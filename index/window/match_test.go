package window

import (
	"math/rand/v2"
	"testing"
)

// TestMatch: for any number of probes, match says which lines have an entry with the tag, and which have a line behind
// them. Only matchEach may take a line that has none for one that has.
func TestMatch(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 3))
	for n := 1; n <= 3*matched; n++ {
		l, lines := newLookup(n), make([]line, n)
		for i := range lines {
			p := &l.probes[i]
			p.line, p.tag = &lines[i], ^ring(uint(random.IntN(maxLevel)))
			p.want = random.Uint32() & p.tag
			for k := range lines[i] {
				lines[i][k] = random.Uint32()&^p.tag | random.Uint32N(2)*p.tag&^p.want
			}
			if k := random.IntN(3 * lineSlots); k <= lineSlots {
				lines[i][k] = p.want | random.Uint32()&^p.tag
			}
			lines[i][0] = uint32(random.IntN(2<<countBits)) | random.Uint32N(2)*(p.want&^countMask)
		}
		for from := 0; from < n; from += matched {
			hits, linked := l.match(from)
			each, linkedEach := matchEach(l.probes[from:min(from+matched, n)])
			wantHits, wantLinked := matchSlowly(l.probes[from:min(from+matched, n)])
			if linked != wantLinked || linkedEach != wantLinked || wantHits&^each != 0 || wantHits&^hits != 0 {
				t.Fatalf("%d probes from %d: hits %x and %x, want %x; linked %x and %x, want %x", n, from, hits, each,
					wantHits, linked, linkedEach, wantLinked)
			}
			if hasMatchBlock() && hits != wantHits {
				t.Fatalf("%d probes from %d: hits %x, want %x", n, from, hits, wantHits)
			}
		}
	}
}

func matchSlowly(probes []probe) (hits, linked uint64) {
	for i, p := range probes {
		for _, x := range p.line[1:] {
			if x&p.tag == p.want {
				hits |= 1 << i
			}
		}
		if p.line[0]>>countBits > 0 {
			linked |= 1 << i
		}
	}
	return hits, linked
}
