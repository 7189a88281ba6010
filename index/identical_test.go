package index_test

import (
	"math/rand/v2"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

// TestIdenticalAmongPopularKeys: an identical document is found although each of its keys is shared by more documents
// than are read and kept; each band has two keys. The twin agrees, and a restored replica does.
func TestIdenticalAmongPopularKeys(t *testing.T)     { tryPopularKeys(t, 80) }
func TestIdenticalAmongPopularKeysLong(t *testing.T) { tryPopularKeys(t, 500) }

func tryPopularKeys(t *testing.T, others int) {
	for _, verify := range []string{"jaccard", "estimate", "levenshtein"} {
		t.Run(verify, func(t *testing.T) {
			p := index.DefaultParams()
			p.Duplicates.Verify, p.Duplicates.MaxReferences, p.Duplicates.MaxCandidates = verify, 30, 1
			if verify == "levenshtein" {
				p.Duplicates.Shingle = "char:4"
			}
			s := newStand(t, p)
			twin := s.twin(p)
			r := rand.New(rand.NewPCG(1, 9))
			s.sign([]byte("one two three four five"))
			forge := s.record.Entries[0].Clone()
			judge := func(e entry.Entry) index.Verdict {
				s.at.Offset++
				e.Offset = s.at.Offset
				s.record.Base, s.record.Entries = e.Offset, []entry.Entry{e}
				v := *s.apply()
				if want := twin.Apply(s.at, &s.record)[0]; v != want {
					t.Fatalf("got\n%+v\nthe twin says\n%+v", v, want)
				}
				return v
			}
			var all []entry.Entry
			for range others {
				e := forge.Clone()
				e.Content = r.Uint64()
				for i := range e.Keys {
					e.Keys[i] = byte(i % entry.KeyBytes)
				}
				for i := 0; i < len(e.Keys); i += entry.KeyBytes {
					e.Keys[i] = byte(r.IntN(2))
				}
				e.Evidence = evidence(p, r)
				for i := range e.Digest {
					e.Digest[i] = byte(r.Uint32())
				}
				if v := judge(e); !v.Matched() {
					all = append(all, e)
				}
			}
			if len(all) < others*9/10 {
				t.Fatalf("%d of %d documents are unique: too few for a test", len(all), others)
			}
			s.replica = restored(t, p, s.replica, false)
			for _, e := range all[:others*2/3] {
				if v := judge(e); v.Match.Method != compare.Identical {
					t.Fatalf("an identical document is not found: %+v", v)
				}
			}
		})
	}
}

// evidence returns the evidence of a document that matches no other.
func evidence(p index.Params, r *rand.Rand) []byte {
	switch p.Duplicates.Verify {
	case "levenshtein":
		text := make([]byte, 60)
		for i := range text {
			text[i] = byte('a' + r.IntN(26))
		}
		return entry.AppendText(nil, text)
	case "jaccard":
		hashes := make([]uint64, 50)
		for i := range hashes {
			hashes[i] = uint64(i)<<56 + r.Uint64N(1<<56)
		}
		return entry.AppendShingles(nil, hashes)
	}
	sketch := make([]byte, p.Duplicates.Slots/2)
	for i := range sketch {
		sketch[i] = byte(r.Uint32())
	}
	return sketch
}
