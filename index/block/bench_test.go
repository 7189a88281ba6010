package block_test

import (
	"io"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/unecho/unecho/index/block"
)

const (
	benchLists    = 14 // 13 bands, and all keys together
	benchPostings = 1_000_000
	benchBlocks   = 16
)

func benchList(i int, into []block.Posting) ([]block.Posting, error) {
	rng := rand.New(rand.NewPCG(uint64(i), 7))
	for at := range uint32(benchPostings) {
		into = append(into, block.Posting{Key: rng.Uint32(), At: at})
	}
	return into, nil
}

// BenchmarkWrite writes a list of a million postings.
func BenchmarkWrite(b *testing.B) {
	for b.Loop() {
		if _, err := block.Write(io.Discard, nil, 1, benchList); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchPostings, "ns/posting")
}

// BenchmarkMay asks 16 blocks for 14 keys that none has, of a million documents each.
func BenchmarkMay(b *testing.B) {
	var blocks []*block.Block
	for k := range benchBlocks {
		one, err := block.Write(io.Discard, nil, benchLists, func(i int, into []block.Posting) ([]block.Posting, error) {
			return benchList(k*benchLists+i, into)
		})
		if err != nil {
			b.Fatal(err)
		}
		blocks = append(blocks, one)
	}
	for name, ask := range map[string]func(one *block.Block, keys []uint32, is uint64, yes []uint64){
		"all": (*block.Block).MayAll,
		"each": func(one *block.Block, keys []uint32, is uint64, yes []uint64) {
			for list, key := range keys {
				if one.May(list, key) {
					yes[list] |= is
				}
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			rng, said := rand.New(rand.NewPCG(1, 8)), 0
			var keys [benchLists]uint32
			for b.Loop() {
				var yes [benchLists]uint64
				for list := range keys {
					keys[list] = rng.Uint32()
				}
				for k, one := range blocks {
					ask(one, keys[:], 1<<k, yes[:])
				}
				for _, is := range yes {
					said += bits.OnesCount64(is)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(benchLists*benchBlocks), "ns/ask")
			b.ReportMetric(float64(said)/float64(b.N), "yes/op")
		})
	}
}
