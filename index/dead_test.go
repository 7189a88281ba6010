package index_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

// TestTheForgottenTakeNoPlaces: a living original is found among forgotten documents that are nearer, and more than are
// kept for comparison. The verdict is not marked as cut when no living document was left out.
func TestTheForgottenTakeNoPlaces(t *testing.T) {
	const forgotten = 60
	s := newPair(t, index.DefaultParams())
	judge := func(words []string) index.Verdict {
		e := entry.Entry{Offset: s.offset}
		s.signer.Reset()
		s.signer.Sign(&e, []byte(strings.Join(words, " ")))
		s.offset++
		return s.run(e)[0]
	}
	r := rand.New(rand.NewPCG(4, 6))
	text := words(r, 200)
	edited := func(words ...int) []string {
		edited := slices.Clone(text)
		for _, k := range words {
			edited[k] = "edited"
		}
		return edited
	}
	for i := range forgotten {
		v := judge(edited(i))
		if v.Matched() {
			t.Fatalf("text %d is a copy of what was forgotten", i)
		}
		s.apply(&index.Forget{Header: s.header(), Target: v.Position})
	}
	living := judge(edited(80, 110, 140, 170))
	if living.Matched() {
		t.Fatal("the living text is a copy")
	}
	if v := judge(text); v.Match.Position != living.Position || v.Match.Method != compare.Jaccard {
		t.Errorf("the living original was not found: %+v", v)
	}
	s.apply(&index.Forget{Header: s.header(), Target: living.Position})
	if v := judge(edited(199)); v.Matched() || v.Cut {
		t.Errorf("all near texts are forgotten, but: %+v", v)
	}
}
