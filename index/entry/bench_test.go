package entry_test

import (
	"math/rand/v2"
	"testing"

	"github.com/unecho/unecho/index/entry"
)

// BenchmarkShingles uses the evidence of 340 shingles, those of an English text of 2 kB.
func BenchmarkShingles(b *testing.B) {
	const shingles = 340
	r := rand.New(rand.NewPCG(1, 2))
	sorted := make([][]uint64, 256) // so many that no branch predictor learns them
	var evidence [][]byte
	total := 0
	for i := range sorted {
		sorted[i] = list(r, shingles)
		evidence = append(evidence, entry.AppendShingles(nil, sorted[i]))
		total += len(evidence[len(evidence)-1])
	}
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		dst, i := make([]byte, 0, 1024), 0
		for b.Loop() {
			dst = entry.AppendShingles(dst[:0], sorted[i%len(sorted)])
			i++
		}
		b.ReportMetric(float64(total)/float64(len(sorted)), "bytes/doc")
	})
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		dst, i := make([]uint64, shingles), 0
		for b.Loop() {
			s, err := entry.ReadShingles(evidence[i%len(evidence)])
			if err != nil || s.Next(dst) != shingles {
				b.Fatal(err)
			}
			i++
		}
	})
}
