package index_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// words makes up so many words that are like no others.
func words(r *rand.Rand, n int) []string {
	all := make([]string, n)
	for i := range all {
		word := make([]byte, 3+r.IntN(6))
		for k := range word {
			word[k] = byte('a' + r.IntN(26))
		}
		all[i] = string(word)
	}
	return all
}

// templated makes texts of so many words, of which so many are the same in all.
func templated(r *rand.Rand, texts, length, common int) [][]string {
	template := words(r, common)
	all := make([][]string, texts)
	for i := range all {
		all[i] = append(append([]string{}, template...), words(r, length-common)...)
	}
	return all
}

// stand is a replica that judges texts one after another.
type stand struct {
	tb      testing.TB
	signer  *index.Signer
	replica *index.Replica
	record  index.Run
	at      index.Stamp
}

func newStand(tb testing.TB, p index.Params) *stand {
	tb.Helper()
	replica, err := index.NewReplica(p, index.Fingerprint(settings))
	if err != nil {
		tb.Fatal(err)
	}
	signer, err := index.NewSigner(p)
	if err != nil {
		tb.Fatal(err)
	}
	s := &stand{tb: tb, signer: signer, replica: replica}
	s.record.Header = index.Header{Fingerprint: index.Fingerprint(settings)}
	s.record.Source, s.record.Epoch = entry.Source{Topic: [16]byte{1}}, 1
	replica.Apply(s.at, &index.Settings{Text: settings})
	s.at.Offset++
	replica.Apply(s.at, &index.Reposition{Header: s.record.Header, Source: s.record.Source, Name: "news", Epoch: 1})
	return s
}

// judge signs a text and has it judged.
func (s *stand) judge(text []byte) *index.Verdict {
	s.at.Offset++
	s.at.LogAppendTime++
	s.signer.Reset()
	e := entry.Entry{Offset: s.at.Offset}
	if !s.signer.Sign(&e, text) {
		s.tb.Fatal("too long")
	}
	s.record.Base, s.record.Entries = s.at.Offset, append(s.record.Entries[:0], e)
	return &s.replica.Apply(s.at, &s.record).Judged[0]
}

// BenchmarkBoilerplate signs and judges texts of 2 kB of which so much is the same in all, in windows of 10,000, and beside
// each of them one that is like no other. times is what the first takes of the processor for each that the second takes.
func BenchmarkBoilerplate(b *testing.B) {
	for _, common := range []int{70, 80, 85} {
		b.Run(fmt.Sprintf("common=%d%%", common), func(b *testing.B) {
			plain, alike := newStream(b, 0), newStream(b, common)
			var took [2]time.Duration
			for b.Loop() {
				took[0] += plain.run(100)
				took[1] += alike.run(100)
			}
			b.ReportMetric(float64(took[0].Nanoseconds())/float64(100*b.N), "unlike-ns/doc")
			b.ReportMetric(float64(took[1].Nanoseconds())/float64(100*b.N), "alike-ns/doc")
			b.ReportMetric(float64(took[1])/float64(took[0]), "times")
		})
	}
}

// stream is texts of 2 kB for a stand.
type stream struct {
	*stand
	texts [][]byte
	next  int
}

func newStream(b *testing.B, common int) *stream {
	const length, held = 340, 10_000
	p := index.DefaultParams()
	p.Window.Count = held
	s := &stream{stand: newStand(b, p)}
	for _, text := range templated(rand.New(rand.NewPCG(1, uint64(common))), 2*held, length, length*common/100) {
		s.texts = append(s.texts, []byte(strings.Join(text, " ")))
	}
	s.run(held)
	return s
}

// run judges so many texts, and says what that took of the processor.
func (s *stream) run(texts int) time.Duration {
	began := processTime(s.tb)
	for range texts {
		s.judge(s.texts[s.next%len(s.texts)])
		s.next++
	}
	return processTime(s.tb) - began
}

// processTime is what the process has taken of the processors.
func processTime(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
