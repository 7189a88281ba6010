package naive_test

import (
	"flag"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/naive"
	"github.com/unecho/unecho/index/naive/random"
)

const settings = `{"test":"settings"}`

var fingerprint = index.Fingerprint([]byte(settings))

var seed = flag.Uint64("seed", 1, "first seed of the random histories")

func histories(t *testing.T, n int, try func(t *testing.T, p index.Params, steps []random.Step)) {
	for s := *seed; s < *seed+uint64(n); s++ {
		t.Run(fmt.Sprint("seed=", s), func(t *testing.T) {
			p := random.Params(s)
			steps, err := random.History(s, 300, p, []byte(settings), fingerprint)
			if err != nil {
				t.Fatal(err)
			}
			try(t, p, steps)
		})
	}
}

func replay(p index.Params, steps []random.Step) []index.Verdict {
	twin := naive.New(p, []byte(settings), fingerprint)
	var all []index.Verdict
	for _, step := range steps {
		all = append(all, twin.Apply(step.At, step.Record)...)
	}
	return all
}

// Properties of every verdict, whatever the history.
func TestVerdictsAreSane(t *testing.T)     { trySanity(t, 5) }
func TestVerdictsAreSaneLong(t *testing.T) { trySanity(t, 150) }

func trySanity(t *testing.T, seeds int) {
	histories(t, seeds, func(t *testing.T, begun index.Params, steps []random.Step) {
		type place struct {
			source   entry.Source
			position entry.Position
		}
		unique, copies := map[place]index.Verdict{}, map[place]uint64{}
		twin := naive.New(begun, []byte(settings), fingerprint)
		for _, step := range steps {
			verdicts := twin.Apply(step.At, step.Record)
			p := twin.Params() // in force
			if fill, ok := step.Record.(*index.Fill); ok {
				for i, e := range fill.Entries {
					if e.Part < len(fill.Parts) {
						at := entry.Position{Offset: step.At.Offset, Entry: int32(i)}
						unique[place{fill.Parts[e.Part].Source, at}] = index.Verdict{Offset: e.Offset}
					}
				}
			}
			for _, v := range verdicts {
				source := index.SourceOf(step.Record, &v)
				if !v.Matched() {
					unique[place{source, v.Position}] = v
					continue
				}
				if v.Match.Method == compare.Resent { // of what came first, be it unique or not
					if !v.Match.Position.Before(v.Position) {
						t.Errorf("%+v was sent before it came", v)
					}
					continue
				}
				of := place{v.Match.Source, v.Match.Position}
				original, ok := unique[of]
				copies[of]++
				switch {
				case !ok || original.Offset != v.Match.Offset:
					t.Errorf("%+v matches what was not judged unique", v)
				case !v.Match.Position.Before(v.Position):
					t.Errorf("%+v matches a later document", v)
				case v.Match.Source == source && v.Match.Offset == v.Offset:
					t.Errorf("%+v is a copy of itself", v)
				case v.Reemitted && p.Duplicates.Remember.ReemitEvery == 0:
					t.Errorf("%+v was let through", v)
				case v.Match.Method == compare.Hamming && int(v.Match.Similarity.Den-v.Match.Similarity.Num) > p.Duplicates.Distance:
					t.Errorf("%+v is beyond the distance", v)
				case v.Match.Method != compare.Hamming &&
					float64(v.Match.Similarity.TenThousandths()) < p.Duplicates.Threshold*10000-1:
					t.Errorf("%+v is below the threshold", v)
				case v.Match.Copy != copies[of]+1:
					t.Errorf("%+v is copy %d", v, copies[of]+1)
				}
			}
		}
	})
}

// Leaving out records that change nothing must change no verdict.
func TestWhatIsIgnoredMayBeLeftOut(t *testing.T)     { tryLeavingOut(t, 4) }
func TestWhatIsIgnoredMayBeLeftOutLong(t *testing.T) { tryLeavingOut(t, 100) }

func tryLeavingOut(t *testing.T, seeds int) {
	histories(t, seeds, func(t *testing.T, p index.Params, steps []random.Step) {
		twin := naive.New(p, []byte(settings), fingerprint)
		var kept []random.Step
		for _, step := range steps {
			before := twin.Stats().Ignored
			twin.Apply(step.At, step.Record)
			if twin.Stats().Ignored == before {
				kept = append(kept, step)
			}
		}
		if len(kept) == len(steps) {
			t.Fatal("nothing was ignored")
		}
		if all, some := replay(p, steps), replay(p, kept); !reflect.DeepEqual(all, some) {
			t.Errorf("%d verdicts, %d without the ignored records, or others", len(all), len(some))
		}
	})
}

func BenchmarkApply(b *testing.B) {
	p := index.DefaultParams()
	p.Duplicates.Remember = index.RememberParams{Age: 24 * time.Hour, Clock: "arrival"}
	steps, err := random.History(1, 8000, p, []byte(settings), fingerprint)
	if err != nil {
		b.Fatal(err)
	}
	documents := 0
	for b.Loop() {
		documents += len(replay(p, steps))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(documents), "ns/document")
	b.ReportMetric(float64(documents)/float64(b.N), "documents")
}
