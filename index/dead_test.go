package index_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/naive"
)

// TestTheForgottenTakeNoPlaces: a living original is found among forgotten documents that are nearer, and more than are
// kept for comparison. The verdict is not marked as cut when no living document was left out.
func TestTheForgottenTakeNoPlaces(t *testing.T) {
	const forgotten = 60
	p := index.DefaultParams()
	s := newStand(t, p)
	twin := naive.New(p, settings, index.Fingerprint(settings))
	apply := func(rec index.Record) *index.Verdict {
		got, want := s.replica.Apply(s.at, rec).Judged, twin.Apply(s.at, rec)
		if len(got) != len(want) || len(got) > 0 && got[0] != want[0] {
			t.Fatalf("got\n%+v\nthe twin says\n%+v", got, want)
		}
		if len(got) == 0 {
			return nil
		}
		v := got[0]
		return &v
	}
	s.at = index.Stamp{}
	apply(&index.Settings{Text: settings})
	s.at.Offset++
	apply(&index.Reposition{Header: s.record.Header, Source: s.record.Source, Name: "news", Epoch: 1})
	judge := func(words []string) *index.Verdict {
		s.sign([]byte(strings.Join(words, " ")))
		return apply(&s.record)
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
		s.at.Offset++
		apply(&index.Forget{Header: s.record.Header, Target: v.Position})
	}
	living := judge(edited(80, 110, 140, 170))
	if living.Matched() {
		t.Fatal("the living text is a copy")
	}
	if v := judge(text); v.Match.Position != living.Position || v.Match.Method != compare.Jaccard {
		t.Errorf("the living original was not found: %+v", v)
	}
	s.at.Offset++
	apply(&index.Forget{Header: s.record.Header, Target: living.Position})
	if v := judge(edited(199)); v.Matched() || v.Cut {
		t.Errorf("all near texts are forgotten, but: %+v", v)
	}
}
