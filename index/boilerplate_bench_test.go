package index_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/naive"
)

// words makes up this many words that occur nowhere else.
func words(r *rand.Rand, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = string(randomWord(r, 3+r.IntN(6)))
	}
	return all
}

// templated makes texts of this many words, of which this many are the same in all.
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
	s.sign(text)
	return s.apply()
}

// sign makes the next record.
func (s *stand) sign(text []byte) {
	s.at.Offset++
	s.at.LogAppendTime++
	s.signer.Reset()
	e := entry.Entry{Offset: s.at.Offset}
	if !s.signer.Sign(&e, text) {
		s.tb.Fatal("too long")
	}
	s.record.Base, s.record.Entries = s.at.Offset, append(s.record.Entries[:0], e)
}

// next applies another record.
func (s *stand) next(rec index.Record) index.Effect {
	s.at.Offset++
	return s.replica.Apply(s.at, rec)
}

// twin is one that has read what the replica has.
func (s *stand) twin(p index.Params) *naive.Twin {
	twin := naive.New(p, settings, index.Fingerprint(settings))
	twin.Apply(index.Stamp{}, &index.Settings{Text: settings})
	twin.Apply(s.at, &index.Reposition{Header: s.record.Header, Source: s.record.Source, Name: "news", Epoch: 1})
	return twin
}

func (s *stand) apply() *index.Verdict { return &s.replica.Apply(s.at, &s.record).Judged[0] }

// BenchmarkBoilerplate signs and judges texts of 2 kB that share a given part of their words, in windows of 10,000, and
// beside each of them a text that shares nothing. times is the ratio of their processor times.
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

// stream makes texts of 2 kB for a stand.
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

// run judges this many texts, and returns the processor time.
func (s *stream) run(texts int) time.Duration {
	began := processTime(s.tb)
	for range texts {
		s.judge(s.texts[s.next%len(s.texts)])
		s.next++
	}
	return processTime(s.tb) - began
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

// hostile makes documents that share bands but no text, and are as costly to compare as possible.
func hostile() map[string]func(p *index.Params, r *rand.Rand) (texts [][]byte) {
	joined := func(all [][]string) (texts [][]byte) {
		for _, text := range all {
			texts = append(texts, []byte(strings.Join(text, " ")))
		}
		return texts
	}
	return map[string]func(p *index.Params, r *rand.Rand) [][]byte{
		"900kB": func(_ *index.Params, r *rand.Rand) [][]byte { return joined(templated(r, 80, 138_000, 117_000)) },
		"2byte-words": func(_ *index.Params, r *rand.Rand) [][]byte {
			all := make([][]byte, 80)
			template := make([]byte, 880_000)
			for i := range template {
				template[i] = " abcdefghijklmnopqrstuvwxyz"[i%2*(1+r.IntN(26))]
			}
			for i := range all {
				all[i] = append([]byte{}, template...)
				for k := 748_001; k < len(template); k += 2 {
					all[i][k] = byte('a' + r.IntN(26))
				}
			}
			return all
		},
		"char5-300kB": func(p *index.Params, r *rand.Rand) [][]byte {
			p.Similarity.Shingle = "char:5"
			return joined(templated(r, 80, 46_000, 39_000))
		},
		"char5-900kB": func(p *index.Params, r *rand.Rand) [][]byte {
			p.Similarity.Shingle = "char:5"
			return joined(templated(r, 80, 138_000, 117_000))
		},
		"levenshtein-32kB": func(p *index.Params, r *rand.Rand) [][]byte {
			p.Similarity.Verify, p.Similarity.Shingle = "levenshtein", "char:4"
			blocks := make([][]string, 100)
			for i := range blocks {
				blocks[i] = words(r, 50)
			}
			all := make([][]string, 80)
			for i := range all {
				for _, k := range r.Perm(len(blocks)) {
					all[i] = append(all[i], blocks[k]...)
				}
			}
			return joined(all)
		},
		// the first letters keep the bands wide to the end
		"levenshtein-tails-32kB": func(p *index.Params, r *rand.Rand) [][]byte {
			p.Similarity.Verify, p.Similarity.Shingle = "levenshtein", "char:4"
			all, common := make([][]byte, 80), strings.Join(words(r, 3700), " ")
			for i := range all {
				all[i] = append(all[i], randomWord(r, 16)...)
				all[i] = append(all[i], common...)
				all[i] = append(all[i], randomWord(r, compare.ComparedText-len(all[i]))...)
			}
			return all
		},
	}
}

// randomWord makes up a word of so many letters.
func randomWord(r *rand.Rand, n int) []byte {
	word := make([]byte, n)
	for i := range word {
		word[i] = byte('a' + r.IntN(26))
	}
	return word
}

// BenchmarkHostile judges the last of the hostile documents. most-ms is the longest that one of them held the replica.
func BenchmarkHostile(b *testing.B) {
	for name, texts := range hostile() {
		b.Run(name, func(b *testing.B) {
			p := index.DefaultParams()
			all := texts(&p, rand.New(rand.NewPCG(5, 1)))
			s := newStand(b, p)
			for _, text := range all[:len(all)-8] {
				s.judge(text)
			}
			var times []time.Duration
			for b.Loop() {
				for _, text := range all[len(all)-8:] {
					s.sign(text)
					began := time.Now()
					s.apply()
					times = append(times, time.Since(began))
				}
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[0].Microseconds())/1000, "least-ms")
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "median-ms")
			b.ReportMetric(float64(times[len(times)-1].Microseconds())/1000, "most-ms")
		})
	}
}
