package index_test

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"github.com/unecho/unecho/index/sketch"
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

// BenchmarkApplyUnlike judges documents that share a band key with others and nothing else, by 13 bands of 6 and by the
// planned ones: with as many of them as the planner's background has in a window of this size, and with none. One
// operation is one document.
func BenchmarkApplyUnlike(b *testing.B) {
	for _, held := range []int{1_000_000, 10_000_000} {
		p, err := estimating(held).Planned()
		if err != nil {
			b.Fatal(err)
		}
		planned, _ := p.Duplicates.Banding()
		for _, plan := range []sketch.Banding{{Bands: 13, Rows: 6}, planned} {
			for _, unlike := range []float64{0, p.Load().Cost(plan).Met} {
				b.Run(fmt.Sprintf("docs=%s/plan=%dx%d/unlike=%.1f", short(held), plan.Bands, plan.Rows, unlike), func(b *testing.B) {
					skipLarge(b, held)
					benchUnlike(b, held, plan, unlike)
				})
			}
		}
	}
}

func benchUnlike(b *testing.B, held int, plan sketch.Banding, unlike float64) {
	b.Helper()
	p := estimating(held)
	p.Duplicates.Slots, p.Duplicates.Bands, p.Duplicates.Rows = max(144, plan.Bands*plan.Rows), plan.Bands, plan.Rows
	f := newFeed(b, p, held, 0)
	f.unlike = unlike
	f.fill(held + held/10)
	before := f.replica.Stats()
	f.bench(b)
	b.ReportMetric(float64(f.replica.Stats().Dropped-before.Dropped)/float64(b.N), "met/doc")
}

// BenchmarkApplyMap measures the textbook index in place of ours, also with a bounded window.
func BenchmarkApplyMap(b *testing.B) {
	benchMapped(b, newMapped)
}

// BenchmarkApplyMapGrowing measures the textbook index without a window: it begins with this many documents, forgets
// nothing, and so does less work.
func BenchmarkApplyMapGrowing(b *testing.B) {
	benchMapped(b, func(f *feed, _ int) *mapped { return newMapped(f, 0) })
}

func benchMapped(b *testing.B, of func(f *feed, held int) *mapped) {
	b.Helper()
	for _, held := range []int{100_000, 1_000_000} {
		for _, percent := range []int{0, 30, 90} {
			b.Run(fmt.Sprintf("docs=%s/duplicates=%d%%", short(held), percent), func(b *testing.B) {
				before := resident(b)
				f := newFeed(b, estimating(held), held, 0)
				m := of(f, held)
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

// resident returns the process's resident memory in bytes, after the garbage was given back.
func resident(tb testing.TB) int64 {
	tb.Helper()
	debug.FreeOSMemory()
	return residentNow(tb)
}

// residentNow returns the same with the garbage included.
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
