package explain

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// writeFound writes the S-curve: how likely two documents of a similarity become candidates. With verify: levenshtein
// that depends on where the edits are.
func (p *Plan) writeFound(b *strings.Builder) {
	if len(p.Found) == 0 {
		b.WriteString("the share that is found is not known: verify: levenshtein has no plan for words\n")
		return
	}
	line := func(name, format string, value func(f found) float64) {
		b.WriteString(name)
		for _, f := range p.Found {
			fmt.Fprintf(b, format, value(f))
		}
		b.WriteString("\n")
	}
	line("similarity ", " %6.2f", func(f found) float64 { return f.Similarity })
	line("found      ", " %6.4f", func(f found) float64 { return f.Share })
	if p.Found[0].Least == nil {
		return
	}
	line("at worst   ", " %6.4f", func(f found) float64 {
		if f.Least == nil {
			return f.Share
		}
		return *f.Least
	})
	b.WriteString("found is where edits fall by chance, at worst where they are spread evenly over the text\n")
}

// mostMet is how many documents of the sample are compared with each other: half a million pairs.
const mostMet = 1000

// chosen draws some documents of the sample, each with the same chance.
type chosen struct {
	random *rand.Rand
	seen   int
}

// slot returns where the next document belongs among the mostMet that are kept; ok is false if it is not kept.
func (c *chosen) slot() (at int, ok bool) {
	if c.seen++; c.seen <= mostMet {
		return c.seen - 1, true
	}
	at = c.random.IntN(c.seen)
	return at, at < mostMet
}

// met holds the band keys of the documents that were drawn.
type met struct {
	keys [][]byte
}

func (m *met) put(at int, keys []byte) {
	if at == len(m.keys) {
		m.keys = append(m.keys, nil)
	}
	m.keys[at] = slices.Clone(keys)
}

// share returns the share of pairs that share a band key; nil if there is no pair.
func (m *met) share(width int) *float64 {
	candidates, pairs := 0, 0
	for i, a := range m.keys {
		for _, b := range m.keys[:i] {
			pairs++
			if shareBand(a, b, width) {
				candidates++
			}
		}
	}
	if pairs == 0 {
		return nil
	}
	share := float64(candidates) / float64(pairs)
	return &share
}

func shareBand(a, b []byte, width int) bool {
	for at := 0; at < len(a); at += width {
		if bytes.Equal(a[at:at+width], b[at:at+width]) {
			return true
		}
	}
	return false
}
