package tune

import (
	"strconv"
	"testing"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index/eval"
)

// Documents are judged within the bounds of dedup and the service: what these leave out is missed, and that is told.
func TestEvalKeepsBounds(t *testing.T) {
	for _, bound := range []int{1, 1000} {
		judge := config.Default().Judge
		judge.Duplicates.MaxCandidates, judge.Duplicates.MaxReferences, judge.Duplicates.MaxWork = bound, bound, bound
		d, err := New(judge, document.DefaultParams())
		if err != nil {
			t.Fatal(err)
		}
		var truth []eval.Pair
		for i := range 10 {
			text := "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen " +
				"eighteen nineteen twenty and so on to the last of them which is the number " + strconv.Itoa(i)
			d.Add(strconv.Itoa(i), &corpus.Record{Text: []byte(text)})
			for k := range i {
				truth = append(truth, eval.Pair{A: k, B: i})
			}
		}
		result, err := d.Against(truth, 100)
		if err != nil {
			t.Fatal(err)
		}
		if bound > 1 {
			if result.Recall != 1 || result.Duplicate != 9 || result.UniqueCut > 0 {
				t.Errorf("the result is %+v; want 9 duplicates, a recall of 1 and none cut", result)
			}
			continue
		}
		if result.Recall != 0 || result.UniqueCut != 9 || len(result.Missed) != 9 || result.Missed[0].Why != "left out by a bound" {
			t.Errorf("with bounds of 1 the result is %+v; want a recall of 0, and 9 documents that were left out by a bound", result)
		}
	}
}
