package index_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

// BenchmarkGrow fills a window from empty, one document per record. One operation fills the whole window; the figures
// are per document. No document waits for a table to be copied: p99.9-ns/doc shows the time, and most-moved the most
// bucket entries that were moved for one document.
func BenchmarkGrow(b *testing.B) {
	for _, documents := range []int{100_000, 1_000_000, 10_000_000} {
		b.Run("docs="+short(documents), func(b *testing.B) {
			skipLarge(b, documents)
			took := make([]time.Duration, 0, documents)
			var s index.Stats
			for b.Loop() {
				took = took[:0]
				f := newFeed(b, estimating(documents), documents, 0)
				for len(took)+runEntries <= documents {
					f.make()
					took = f.applySingly(took)
				}
				s = f.replica.Stats()
			}
			reportTimes(b, took)
			b.ReportMetric(float64(s.Moved)/float64(s.Documents), "moved/doc")
			b.ReportMetric(float64(s.MostMoved), "most-moved")
		})
	}
}

// BenchmarkFill fills a window from empty, in runs, as a follower does that begins with nothing. One operation fills
// the whole window.
func BenchmarkFill(b *testing.B) {
	for _, documents := range []int{1_000_000, 10_000_000} {
		for _, plan := range []struct{ slots, bands, rows int }{{128, 18, 7}, {50, 10, 5}} {
			b.Run(fmt.Sprintf("docs=%s/plan=%dx%d", short(documents), plan.bands, plan.rows), func(b *testing.B) {
				skipLarge(b, documents)
				p := estimating(documents)
				p.Duplicates.Slots, p.Duplicates.Bands, p.Duplicates.Rows = plan.slots, plan.bands, plan.rows
				var took time.Duration
				var judged uint64
				for b.Loop() {
					f := newFeed(b, p, documents, 0)
					runtime.GC()
					for f.made+runEntries <= uint64(documents) {
						f.make()
						began := time.Now()
						f.apply()
						took += time.Since(began)
					}
					judged += f.made
				}
				b.ReportMetric(float64(took.Nanoseconds())/float64(judged), "ns/doc")
			})
		}
	}
}

// applySingly judges each document of a run as a record of its own, and appends how long each took.
func (f *feed) applySingly(took []time.Duration) []time.Duration {
	run := f.record
	for i := range run.Entries {
		f.record.Entries = run.Entries[i : i+1]
		f.at.Offset++
		f.record.Base = run.Entries[i].Offset
		began := time.Now()
		f.replica.Apply(f.at, &f.record)
		took = append(took, time.Since(began))
	}
	f.record = run
	return took
}

func reportTimes(b *testing.B, took []time.Duration) {
	var sum time.Duration
	for _, t := range took {
		sum += t
	}
	slices.Sort(took)
	b.ReportMetric(float64(sum.Nanoseconds())/float64(len(took)), "ns/doc")
	b.ReportMetric(float64(took[len(took)/2]), "p50-ns/doc")
	b.ReportMetric(float64(took[len(took)*999/1000]), "p99.9-ns/doc")
}

// BenchmarkHotBucket judges documents that all have the same band keys but are not alike: each is a candidate of every
// other.
func BenchmarkHotBucket(b *testing.B) {
	for _, held := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("docs=%d", held), func(b *testing.B) {
			f := newFeed(b, estimating(held), held, 0)
			f.hot = true
			f.fill(held + held/2)
			f.bench(b)
			s := f.replica.Stats()
			b.ReportMetric(float64(s.Candidates)/float64(s.Judged), "verified/doc")
			b.ReportMetric(float64(s.MostMoved), "most-moved")
		})
	}
}

// BenchmarkCapture takes the state for a snapshot while documents are judged. One operation is one capture, for which
// the stream waits; B/op is what it copies.
func BenchmarkCapture(b *testing.B) {
	for _, held := range []int{1_000_000, 10_000_000} {
		b.Run("docs="+short(held), func(b *testing.B) {
			skipLarge(b, held)
			f := newFeed(b, estimating(held), held, 0.3)
			f.fill(held)
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				for range 20 {
					f.make()
					f.apply()
				}
				b.StartTimer()
				if c := f.replica.Capture(); len(c.Segments) == 0 {
					b.Fatal("no segments")
				}
			}
		})
	}
}

// BenchmarkCaptureRequests takes the state while a million requests are remembered. One operation is one capture, for
// which the stream waits; encoded-MB is what the state has of them, and encode-ms how long that takes, beside the stream.
func BenchmarkCaptureRequests(b *testing.B) {
	p := estimating(10_000)
	p.Duplicates.Remember.Keys = time.Hour
	f := newFeed(b, p, 10_000, 0)
	f.requests = true
	f.fill(index.MostRequests + 10_000)
	if n := f.replica.Stats().Requests; n != index.MostRequests {
		b.Fatalf("%d requests are remembered", n)
	}
	b.ReportAllocs()
	encoded, took, n := 0, time.Duration(0), 0
	for b.Loop() {
		b.StopTimer()
		for range 20 {
			f.make()
			f.apply()
		}
		b.StartTimer()
		c := f.replica.Capture()
		b.StopTimer()
		began := time.Now()
		encoded = len(c.State())
		took, n = took+time.Since(began), n+1
		b.StartTimer()
	}
	b.ReportMetric(float64(encoded)/1e6, "encoded-MB")
	b.ReportMetric(float64(took.Milliseconds())/float64(n), "encode-ms")
}

// BenchmarkTurn streams documents through a window until its content was replaced nine times. Time and memory per
// document stay what they were the first time.
func BenchmarkTurn(b *testing.B) {
	for _, held := range []int{1_000_000, 10_000_000} {
		b.Run("docs="+short(held), func(b *testing.B) {
			skipLarge(b, held)
			for b.Loop() {
				before := resident(b)
				f := newFeed(b, estimating(held), held, 0)
				for turn := 1; turn <= 9; turn++ {
					f.measureTurn(b, turn, before)
				}
			}
		})
	}
}

// measureTurn judges as many documents as the window holds.
func (f *feed) measureTurn(b *testing.B, turn int, before int64) {
	took := make([]time.Duration, 0, f.held/runEntries+1)
	for end := f.made + uint64(f.held); f.made < end; {
		f.make()
		began := time.Now()
		f.apply()
		took = append(took, time.Since(began)/runEntries)
	}
	memory := float64(resident(b)-before) / float64(f.replica.Stats().Documents)
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2]), fmt.Sprintf("turn%d-p50-ns/doc", turn))
	b.ReportMetric(memory, fmt.Sprintf("turn%d-resident-B/doc", turn))
}

// BenchmarkResident replaces the content of a window of 1 GiB, and checks the promise of TestBytesAreAPromise against
// the resident memory of the whole process at any time, garbage included. As in the service, the collector knows the
// bound.
func BenchmarkResident(b *testing.B) {
	bound := int64(setting.GiB)
	before := resident(b)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(bound + before))
	most := int64(0)
	for b.Loop() {
		f := newFeed(b, bounded(setting.Bytes(bound)), 0, 0)
		f.turn(bound, phases, func(string) { most = max(most, residentNow(b)-before) })
		runtime.KeepAlive(f)
	}
	b.ReportMetric(100*float64(most)/float64(bound), "%-of-bound")
	if most > bound+bound/20 {
		b.Errorf("%d bytes are resident for a bound of %d", most, bound)
	}
}
