package index_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/eval/synthetic"
)

// BenchmarkBands signs and judges corpora by several bandings, in a window that holds them all. It reports processor time
// (with -cpu 1 that of one core), bytes, the documents that one is compared with, those that the digest ruled out before,
// and the duplicates. Of boilerplate one document in eleven is a copy. -large takes ten and five times as many documents.
func BenchmarkBands(b *testing.B) {
	for _, corpus := range []string{
		"articles", "boilerplate=160", "boilerplate=160,mixed", "boilerplate=160,parts", "boilerplate=170", "boilerplate=170,mixed",
		"boilerplate=170,parts", "boilerplate=170,anywhere",
	} {
		for _, banding := range [][3]int{{8, 4, 32}, {10, 5, 50}, {13, 6, 78}, {18, 7, 128}} {
			b.Run(fmt.Sprintf("%s/%dx%d", corpus, banding[0], banding[1]), func(b *testing.B) {
				texts := corpusOf(b, corpus)
				p := index.DefaultParams()
				p.Duplicates.Bands, p.Duplicates.Rows, p.Duplicates.Slots = banding[0], banding[1], banding[2]
				p.Duplicates.Remember.Memory, p.Duplicates.Remember.Age, p.Duplicates.Remember.Documents = 0, 0, len(texts)
				p.OwnBounds = true
				var sum banded
				for b.Loop() {
					sum.judge(newStand(b, p), texts)
				}
				sum.report(b, len(texts))
			})
		}
	}
}

// corpusOf makes a corpus by its name.
func corpusOf(b *testing.B, name string) (texts [][]byte) {
	options, boilerplate := strings.CutPrefix(name, "boilerplate=")
	if !boilerplate {
		p := synthetic.DefaultParams()
		if p.Documents = 100_000; *large {
			p.Documents *= 10
		}
		articles, err := synthetic.NewArticles(p)
		if err != nil {
			b.Fatal(err)
		}
		for d, more := articles.Next(); more; d, more = articles.Next() {
			texts = append(texts, []byte(d.Title+"\n"+d.Text))
		}
		return texts
	}
	made := synthetic.Boilerplate{
		Originals: 10_000, Copies: 1000, Common: 160, Mixed: strings.Contains(options, "mixed"),
		Parts: strings.Contains(options, "parts"), Anywhere: strings.Contains(options, "anywhere"), Seed: 1,
	}
	if strings.HasPrefix(options, "170") {
		made.Common = 170
	}
	if *large {
		made.Originals, made.Copies = 5*made.Originals, 5*made.Copies
	}
	all, _ := made.Make()
	for _, text := range all {
		texts = append(texts, []byte(text))
	}
	return texts
}

// banded is what a banding took.
type banded struct {
	sign, apply time.Duration
	entries     int // bytes in the journal
	stats       index.Stats
}

// judge judges texts in records as large as the service's.
func (sum *banded) judge(s *stand, texts [][]byte) {
	const most = 256
	for from := 0; from < len(texts); from += most {
		began := processTime(s.tb)
		s.signer.Reset()
		s.record.Base, s.record.Entries = int64(from), s.record.Entries[:0]
		for i, text := range texts[from:min(from+most, len(texts))] {
			e := entry.Entry{Offset: int64(from + i), ID: fmt.Appendf(nil, "id-%08d", from+i)}
			if !s.signer.Sign(&e, text) {
				s.tb.Fatal("too long")
			}
			s.record.Entries = append(s.record.Entries, e)
		}
		s.at.Offset++
		s.at.LogAppendTime++
		signed := processTime(s.tb)
		s.replica.Apply(s.at, &s.record)
		sum.sign, sum.apply = sum.sign+signed-began, sum.apply+processTime(s.tb)-signed
		for i := range s.record.Entries {
			sum.entries += entry.Size(&s.record.Entries[i])
		}
	}
	sum.stats = s.replica.Stats()
}

func (sum *banded) report(b *testing.B, texts int) {
	each := func(total float64) float64 { return total / float64(texts) }
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(each(float64(sum.sign.Nanoseconds()))/float64(b.N), "sign-ns/doc")
	b.ReportMetric(each(float64(sum.apply.Nanoseconds()))/float64(b.N), "apply-ns/doc")
	b.ReportMetric(each(float64(sum.entries))/float64(b.N), "journal-B/doc")
	b.ReportMetric(float64(sum.stats.WindowBytes)/float64(sum.stats.Documents), "window-B/doc")
	b.ReportMetric(float64(sum.stats.Memory)/float64(sum.stats.Documents), "memory-B/doc")
	b.ReportMetric(each(float64(sum.stats.Candidates)), "compared/doc")
	b.ReportMetric(each(float64(sum.stats.Dropped)), "dropped/doc")
	b.ReportMetric(float64(sum.stats.Duplicate), "duplicates")
	b.ReportMetric(float64(sum.stats.UniqueCut), "cut")
}

// processTime returns the processor time that the process has used.
func processTime(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
