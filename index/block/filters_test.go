package block_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/unecho/unecho/index/block"
)

// TestManyFilters: a list of several filters is found as one of a single filter is: no key is missed, those that begin or end
// a filter, or fill all of one, neither.
func TestManyFilters(t *testing.T) {
	const part, most = 1 << 20, 1 << 31
	rng := rand.New(rand.NewPCG(6, 4))
	var spread, crowded []block.Posting
	for at := range uint32(2.5 * part) {
		spread = append(spread, block.Posting{Key: rng.Uint32N(most) &^ 1, At: at})
		key := at &^ 1 // of two documents each, from 0
		switch {
		case at > part-100 && at < part+100: // across the end of a filter
			key = part
		case at >= 2*part: // all of the last one
			key = 2 * part
		}
		crowded = append(crowded, block.Posting{Key: key, At: at})
	}
	written, file := write(t, "", [][]block.Posting{spread, crowded})
	for name, b := range map[string]*block.Block{"written": written, "read": open(t, file)} {
		for list, postings := range [][]block.Posting{spread, crowded} {
			for i, p := range postings {
				if !b.May(list, p.Key) {
					t.Fatalf("%s, list %d: key %d is missed", name, list, p.Key)
				}
				if i%5000 > 0 {
					continue
				}
				if places, _, err := find(b, file, list, p.Key); err != nil || len(places) == 0 {
					t.Fatalf("%s, list %d, key %d: places %d, error %v", name, list, p.Key, places, err)
				}
			}
		}
		yes, asked := 0, uint32(1<<20)
		for i := range asked {
			if b.May(0, i<<11|1) {
				yes++
			}
		}
		if want := int(asked) / 256; yes < want*9/10 || yes > want*11/10 {
			t.Errorf("%s: %d keys may be there of %d that are not, want %d", name, yes, asked, want)
		}
		if places, _, err := find(b, file, 1, part); err != nil || len(places) < 198 {
			t.Errorf("%s: %d places of a key across filters, error %v", name, len(places), err)
		}
	}
	var merged bytes.Buffer
	_, err := block.Merge(&merged, nil, []block.Part{{Block: written, File: bytes.NewReader(file)}})
	if err != nil || !bytes.Equal(merged.Bytes(), file) {
		t.Errorf("a block that is made of one is another, error %v", err)
	}
}
