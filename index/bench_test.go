package index_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// BenchmarkApply judges documents of which every fifth is a copy, in runs of 512, into a window that holds so many; the
// default plan, verified by the estimate. One operation is one document.
func BenchmarkApply(b *testing.B) {
	for _, held := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprintf("held=%d", held), func(b *testing.B) {
			p := index.DefaultParams()
			p.Similarity.Verify = "estimate"
			p.Window.Bytes, p.Window.Age, p.Window.Count = 0, 0, held
			j := newJudging(b, p)
			for j.judged < held+held/2 {
				j.run()
			}
			b.ReportAllocs()
			b.ResetTimer()
			for j.judged = 0; j.judged < b.N; {
				j.run()
			}
		})
	}
}

// judging feeds a replica with runs of random entries.
type judging struct {
	replica *index.Replica
	random  *rand.Rand
	keys    int
	record  index.Run
	at      index.Stamp
	judged  int
}

const runEntries = 512

func newJudging(b *testing.B, p index.Params) *judging {
	b.Helper()
	replica, err := index.NewReplica(p, index.Fingerprint(settings))
	if err != nil {
		b.Fatal(err)
	}
	j := &judging{replica: replica, random: rand.New(rand.NewPCG(1, 2)), keys: 18 * p.Similarity.KeyBytes}
	source := entry.Source{Topic: [16]byte{1}}
	header := index.Header{Fingerprint: index.Fingerprint(settings)}
	replica.Apply(j.at, &index.Settings{Text: settings})
	j.at.Offset++
	replica.Apply(j.at, &index.Reposition{Header: header, Source: source, Name: "news", Epoch: 1})
	j.record = index.Run{Header: header, Source: source, Epoch: 1, Entries: make([]entry.Entry, runEntries)}
	for i := range j.record.Entries {
		e := &j.record.Entries[i]
		e.Kind, e.Keys, e.Evidence = entry.Sketch, make([]byte, j.keys), make([]byte, p.Similarity.Slots*p.Similarity.CodeBits/8)
	}
	return j
}

func (j *judging) run() {
	j.at.Offset++
	j.record.Base = j.record.Entries[runEntries-1].Offset
	for i := range j.record.Entries {
		e := &j.record.Entries[i]
		e.Offset = j.record.Base + int64(i) + 1
		e.Content = j.random.Uint64()
		if i%5 == 4 { // a copy of its neighbour, by its keys and its sketch
			copy(e.Keys, j.record.Entries[i-1].Keys)
			copy(e.Evidence, j.record.Entries[i-1].Evidence)
			continue
		}
		fill(j.random, e.Keys)
		fill(j.random, e.Evidence)
	}
	if effect := j.replica.Apply(j.at, &j.record); len(effect.Judged) != runEntries {
		panic("not judged")
	}
	j.judged += runEntries
}

func fill(r *rand.Rand, b []byte) {
	for len(b) >= 8 {
		v := r.Uint64()
		for i := range 8 {
			b[i] = byte(v >> (8 * i))
		}
		b = b[8:]
	}
}
