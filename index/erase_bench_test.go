package index_test

import (
	"fmt"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// BenchmarkErase applies records that erase documents far apart, in a full window. One operation is one record: of
// one document, and of as many as a record may name. A replica that was captured just before copies the segments that
// it erases in, as each does once after a snapshot.
func BenchmarkErase(b *testing.B) {
	const held = 1_000_000
	for _, captured := range []bool{false, true} {
		for _, targets := range []int{1, index.MostErased} {
			b.Run(fmt.Sprintf("captured=%v/targets=%d", captured, targets), func(b *testing.B) {
				f := newFeed(b, estimating(held), held, 0)
				f.fill(held)
				var all []entry.Position
				f.replica.Each(func(m *index.Remembered) { all = append(all, m.Judged) })
				at := f.at
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					b.StopTimer()
					rec := &index.Erase{Header: f.record.Header}
					for k := range targets {
						rec.Targets = append(rec.Targets, all[(i*7919+k*len(all)/targets)%len(all)])
					}
					rec.Targets = index.SortTargets(rec.Targets)
					if captured {
						f.replica.Capture()
					}
					at.Offset++
					b.StartTimer()
					if !f.replica.Apply(at, rec).Applied {
						b.Fatal("it is ignored")
					}
				}
			})
		}
	}
}
