package index_test

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"
)

// BenchmarkApply judges documents with the default plan, verified by the estimate, in a full window that rolls on. One
// operation is one document. resident-B/doc is the growth of the process's resident memory, per document held.
func BenchmarkApply(b *testing.B) {
	for _, held := range []int{100_000, 1_000_000, 10_000_000} {
		for _, percent := range []int{0, 30, 90} {
			b.Run(fmt.Sprintf("docs=%s/duplicates=%d%%", short(held), percent), func(b *testing.B) {
				skipLarge(b, held)
				before := resident(b)
				f := newFeed(b, estimating(held), held, float64(percent)/100)
				f.fill(held + held/2)
				perDocument := float64(resident(b)-before) / float64(f.replica.Stats().Documents)
				f.bench(b)
				b.ReportMetric(perDocument, "resident-B/doc")
			})
		}
	}
}

// BenchmarkApplyMap is the textbook index in the place of ours, in a window of so many documents too.
func BenchmarkApplyMap(b *testing.B) {
	benchMapped(b, newMapped)
}

// BenchmarkApplyMapGrowing is the textbook index that forgets nothing: it begins with so many documents, and does less than a
// window asks for.
func BenchmarkApplyMapGrowing(b *testing.B) {
	benchMapped(b, func(int) *mapped { return newMapped(0) })
}

func benchMapped(b *testing.B, of func(held int) *mapped) {
	b.Helper()
	for _, held := range []int{100_000, 1_000_000} {
		for _, percent := range []int{0, 30, 90} {
			b.Run(fmt.Sprintf("docs=%s/duplicates=%d%%", short(held), percent), func(b *testing.B) {
				before := resident(b)
				f := newFeed(b, estimating(held), held, 0)
				m := of(held)
				fill := uint64(held)
				if m.forgets {
					fill += fill / 2
				}
				for f.made < fill {
					f.make()
					m.apply(f)
				}
				f.duplicates = float64(percent) / 100
				perDocument := float64(resident(b)-before) / float64(held)
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if i%runEntries == 0 {
						b.StopTimer()
						f.make()
						b.StartTimer()
						m.apply(f)
					}
				}
				b.ReportMetric(perDocument, "resident-B/doc")
			})
		}
	}
}

func short(n int) string {
	if n >= 1_000_000 {
		return fmt.Sprintf("%dM", n/1_000_000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// resident is the process's resident memory in bytes, garbage given back first.
func resident(tb testing.TB) int64 {
	tb.Helper()
	debug.FreeOSMemory()
	return residentNow(tb)
}

// residentNow is the same with the garbage.
func residentNow(tb testing.TB) int64 {
	tb.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		tb.Skip("resident memory is read from /proc: ", err)
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		tb.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

func skipLarge(tb testing.TB, documents int) {
	tb.Helper()
	if documents > 1_000_000 && !*large {
		tb.Skip("10 million documents take 5 GB and a minute: add -large")
	}
}
