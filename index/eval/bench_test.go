package eval_test

import (
	"math/rand/v2"
	"testing"

	"github.com/unecho/unecho/index/eval"
)

// BenchmarkJoin finds the pairs of 2,000 sets; BenchmarkAllPairs compares all pairs.
func BenchmarkJoin(b *testing.B) {
	sets := corpus(rand.New(rand.NewPCG(1, 3)), 2000)
	b.ReportAllocs()
	for b.Loop() {
		eval.NewJoin(sets, 8000).Pairs()
	}
}

func BenchmarkAllPairs(b *testing.B) {
	sets := corpus(rand.New(rand.NewPCG(1, 3)), 2000)
	b.ReportAllocs()
	for b.Loop() {
		allPairs(sets, 8000)
	}
}
