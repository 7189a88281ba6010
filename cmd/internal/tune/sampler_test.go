package tune

import (
	"bytes"
	"testing"

	"github.com/unecho/unecho/index/setting"
)

// A sample keeps within its bytes, and uses most of them; each document has the same chance, short or long, early or
// late.
func TestSampleOfBytes(t *testing.T) {
	const documents, mostBytes, runs = 400, 4000, 500
	counts := make([]int, documents)
	kept := 0
	for seed := range uint64(runs) {
		s := NewSampler(SamplerParams{Most: 300, Bytes: mostBytes, Seed: seed})
		for i := range documents {
			s.add(sampled{text: bytes.Repeat([]byte("x"), 10+i%40), scope: uint64(i)}, "")
			if s.bytes > mostBytes {
				t.Fatalf("%v after %d documents", s.bytes, i+1)
			}
		}
		held := 0
		for _, d := range s.kept {
			held += len(d.text)
			counts[d.scope]++
		}
		kept += len(s.kept)
		if int(s.bytes) != held || held < mostBytes/2 || !s.dropped {
			t.Fatalf("%d bytes, counted %v, dropped %v", held, s.bytes, s.dropped)
		}
	}
	of := func(in func(i int) bool) (share float64) {
		n := 0
		for i, count := range counts {
			if in(i) {
				share += float64(count)
				n++
			}
		}
		return share / float64(n) / (float64(kept) / documents)
	}
	for name, share := range map[string]float64{
		"early": of(func(i int) bool { return i < documents/4 }), "late": of(func(i int) bool { return i >= documents*3/4 }),
		"short": of(func(i int) bool { return i%40 < 10 }), "long": of(func(i int) bool { return i%40 >= 30 }),
	} {
		if share < 0.95 || share > 1.05 {
			t.Errorf("the %s ones have %.3f of their chance", name, share)
		}
	}
}

// One document is kept, however long; without a bound, all are.
func TestSampleKeepsOne(t *testing.T) {
	for _, test := range []struct {
		mostBytes, want int
	}{{1, 1}, {0, 50}} {
		s := NewSampler(SamplerParams{Bytes: setting.Bytes(test.mostBytes), Seed: 1})
		for i := range 50 {
			s.add(sampled{text: make([]byte, 1000), scope: uint64(i)}, "")
		}
		if len(s.kept) != test.want {
			t.Errorf("%d kept within %d bytes, want %d", len(s.kept), test.mostBytes, test.want)
		}
	}
}
