package sketch_test

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/unecho/unecho/index/sketch"
)

// BenchmarkLevenshtein compares texts near each other and far apart, at the default threshold and without one.
func BenchmarkLevenshtein(b *testing.B) {
	english, err := os.ReadFile("testdata/english.txt")
	if err != nil {
		b.Fatal(err)
	}
	long := bytes.Repeat(english, 5)
	backwards := slices.Clone(long)
	slices.Reverse(backwards)
	for _, pair := range []struct {
		name string
		a, b []byte
	}{
		{"near2kB", english, replaceEach(english, 100)},
		{"far2kB", english, backwards[:len(english)]},
		{"near10kB", long, replaceEach(long, 100)},
		{"far10kB", long, backwards},
	} {
		for _, threshold := range []struct {
			name           string
			tenThousandths int
		}{{"bounded", 8000}, {"exact", 0}} {
			b.Run(pair.name+"/"+threshold.name, func(b *testing.B) {
				var l sketch.Levenshtein
				b.ReportAllocs()
				for b.Loop() {
					l.Similarity(pair.a, pair.b, threshold.tenThousandths)
				}
			})
		}
	}
}

// replaceEach replaces every n-th byte.
func replaceEach(text []byte, n int) []byte {
	out := slices.Clone(text)
	for i := 0; i < len(out); i += n {
		out[i] = '#'
	}
	return out
}
