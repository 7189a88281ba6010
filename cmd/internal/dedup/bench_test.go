package dedup_test

import (
	"os"
	"testing"

	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

// BenchmarkRun judges articles of 1.6 kB, a fifth of them copies, from their file, with one worker.
func BenchmarkRun(b *testing.B) {
	const documents = 20_000
	path := articles(b, documents)
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	p := index.DefaultParams()
	for b.Loop() {
		r := reading(b, path)
		x, err := dedup.NewIndex(dedup.IndexParams{Index: p, Settings: []byte("{}"), Memory: setting.GiB})
		if err != nil {
			b.Fatal(err)
		}
		if err := dedup.Run(b.Context(), dedup.Params{Index: p, Workers: 1}, r, x,
			func(*dedup.Outcome) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/documents, "ns/document")
}
