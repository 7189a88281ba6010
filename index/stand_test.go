package index_test

import (
	"math/rand/v2"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/naive"
)

// words makes up this many words that occur nowhere else.
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
