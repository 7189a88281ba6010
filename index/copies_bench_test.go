package index_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/unecho/unecho/index"
)

// BenchmarkApplyCopies is BenchmarkApply with the settings for copies: the same feed, with a million documents held.
// counted-B/doc is what a document counts against window.bytes, resident-B/doc the memory it takes.
func BenchmarkApplyCopies(b *testing.B) {
	const held = 1_000_000
	for _, c := range []struct {
		name string
		set  func(*index.Params)
	}{
		{"default", func(*index.Params) {}},
		{"refresh=last", func(p *index.Params) { p.Window.Refresh = "last" }},
		{"keep=all", func(p *index.Params) { p.Index.Keep = "all" }},
		{"reemit_every=100ms", func(p *index.Params) { p.Window.ReemitEvery = 100 * time.Millisecond }},
		{"all", func(p *index.Params) {
			p.Window.Refresh, p.Index.Keep, p.Window.ReemitEvery = "last", "all", 100*time.Millisecond
		}},
	} {
		for _, percent := range []int{30, 90} {
			b.Run(fmt.Sprintf("%s/duplicates=%d%%", c.name, percent), func(b *testing.B) {
				p := estimating(held)
				c.set(&p)
				before := resident(b)
				f := newFeed(b, p, held, float64(percent)/100)
				f.fill(held + held/2)
				for range held / runEntries {
					f.make()
					f.apply()
				}
				s := f.replica.Stats()
				perDocument := float64(resident(b)-before) / float64(s.Documents)
				f.bench(b)
				b.ReportMetric(perDocument, "resident-B/doc")
				b.ReportMetric(float64(s.WindowBytes)/float64(s.Documents), "counted-B/doc")
			})
		}
	}
}
