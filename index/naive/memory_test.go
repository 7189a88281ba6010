package naive_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/naive"
)

// BenchmarkMemory measures the memory that a twin keeps for a document of its window, beside the evidence, with 18
// bands, as the default settings plan, and ids of 16 bytes. The audit takes that much.
func BenchmarkMemory(b *testing.B) {
	for _, evidence := range []int{128, 1328} {
		b.Run(fmt.Sprintf("evidence=%d", evidence), func(b *testing.B) {
			for b.Loop() {
				before := live()
				twin := filled(evidence)
				b.ReportMetric(float64(live()-before)/documents-float64(evidence), "B/doc-beside")
				runtime.KeepAlive(twin)
			}
		})
	}
}

const documents = 20_000

func live() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func filled(evidence int) *naive.Twin {
	const ours = 1
	h := index.Header{Fingerprint: ours, Wall: 1000}
	source := entry.Source{Topic: [16]byte{1}}
	twin := naive.New(index.DefaultParams(), nil, ours)
	twin.Apply(index.Stamp{LogAppendTime: 1000}, &index.Settings{Wall: 1000})
	twin.Apply(index.Stamp{Offset: 1, LogAppendTime: 1000},
		&index.Reposition{Header: h, Source: source, Name: "news", Partitions: 1, Epoch: 1})
	random := rand.NewChaCha8([32]byte{1})
	some := func(n int) []byte {
		s := make([]byte, n)
		_, _ = random.Read(s) // never fails
		return s
	}
	for i := range int64(documents) {
		e := entry.Entry{
			Offset: i, Time: 1000, Content: random.Uint64(), Kind: entry.Text, Keys: some(18 * 4),
			Evidence: some(evidence), ID: some(16),
		}
		twin.Apply(index.Stamp{Offset: 2 + i, LogAppendTime: 1000},
			&index.Run{Header: h, Source: source, Epoch: 1, Base: i, Entries: []entry.Entry{e}})
	}
	return twin
}
