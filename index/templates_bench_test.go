package index_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/unecho/unecho/index"
)

// BenchmarkTemplates signs and judges texts of 200 words, of which 160 are those of one of several templates, in random
// order, in a window of 32,000. Each lookup meets other documents than the one before.
func BenchmarkTemplates(b *testing.B) {
	const held = 32_000
	for _, templates := range []int{1, 4, 16} {
		b.Run(fmt.Sprint("templates=", templates), func(b *testing.B) {
			p := index.DefaultParams()
			p.Window.Count = held
			s, r := &stream{stand: newStand(b, p)}, rand.New(rand.NewPCG(3, 2))
			for range templates {
				for _, text := range templated(r, 2*held/templates, 200, 160) {
					s.texts = append(s.texts, []byte(strings.Join(text, " ")))
				}
			}
			r.Shuffle(len(s.texts), func(i, j int) { s.texts[i], s.texts[j] = s.texts[j], s.texts[i] })
			s.run(held)
			began := processTime(b)
			for b.Loop() {
				s.run(1)
			}
			b.ReportMetric(float64((processTime(b)-began).Nanoseconds())/float64(b.N), "cpu-ns/doc")
		})
	}
}
