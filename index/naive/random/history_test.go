package random_test

import (
	"flag"
	"reflect"
	"strings"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/naive"
	"github.com/unecho/unecho/index/naive/random"
)

var (
	seed        = flag.Uint64("seed", 1, "first seed of the random histories")
	text        = []byte(`{"test":"settings"}`)
	fingerprint = index.Fingerprint(text)
)

func history(t *testing.T, seed uint64, n int) (index.Params, []random.Step) {
	t.Helper()
	p := random.Params(seed)
	steps, err := random.History(seed, n, p, text, fingerprint)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return p, steps
}

func TestDuplicatesParamsAreValid(t *testing.T) {
	for s := *seed; s < *seed+500; s++ {
		p := random.Params(s)
		for _, wrong := range p.Validate() {
			if strings.HasPrefix(wrong.Key, "duplicates.") && !strings.HasPrefix(wrong.Key, "duplicates.remember.") {
				t.Errorf("seed %d: %v", s, wrong)
			}
		}
	}
}

func TestSameSeedSameHistory(t *testing.T) {
	_, a := history(t, *seed, 200)
	_, b := history(t, *seed, 200)
	_, c := history(t, *seed+1, 200)
	if !reflect.DeepEqual(a, b) {
		t.Errorf("seed %d: two histories", *seed)
	}
	if reflect.DeepEqual(a, c) {
		t.Errorf("seeds %d and %d: one history", *seed, *seed+1)
	}
}

// tally counts what happened over some histories, for TestEverythingHappens.
type tally map[string]int

func (c tally) verdict(v *index.Verdict, now int64, filled bool) {
	switch {
	case !v.Matched():
		c["unique"]++
	default:
		c["method "+v.Match.Method.String()]++
	}
	if v.Reemitted {
		c["let through"]++
	}
	if v.Cut {
		c["unique, cut"]++
	}
	if filled {
		c["copy of what was filled"]++
	}
	if v.Match.Copy > 4 {
		c["many copies"]++
	}
	if !v.Unique() && v.Match.Similarity.TenThousandths() < 10000 && v.Match.Similarity.TenThousandths() >= 8000 {
		c["between 0.8 and 1"]++
	}
	if !v.Unique() && now-v.Match.Time > 3600_000 {
		c["match of long ago"]++
	}
}

func (c tally) filled(twin *naive.Twin, before index.Filled, rec *index.Fill, judging bool) {
	after, _ := twin.Filled(entry.Source{})
	if after.Number != before.Number {
		c["another fill"] += int(min(1, before.Number))
		return
	}
	c["filled"] += int(after.Kept - before.Kept)
	c["filled, too old"] += int(after.TooOld - before.TooOld)
	c["filled, empty"] += int(after.Empty - before.Empty)
	if judging && rec.Number == after.Number && rec.First == after.Entries {
		c["filled too late"]++
	}
	if !judging && after.Entries > before.Entries && rec.First < before.Entries {
		c["filled by another feeder"]++
	}
}

func kindOf(rec index.Record) string {
	if rec == nil {
		return "stray"
	}
	return reflect.TypeOf(rec).Elem().Name()
}

func (c tally) step(twin *naive.Twin, before naive.Stats, step random.Step, verdicts []index.Verdict,
	filled map[int64]bool,
) {
	after := twin.Stats()
	kind := kindOf(step.Record)
	if after.Applied > before.Applied {
		c["applied "+kind]++
	} else {
		c["ignored "+kind]++
	}
	for i := range verdicts {
		v := &verdicts[i]
		c.verdict(v, step.At.LogAppendTime, v.Matched() && filled[v.Match.Position.Offset])
	}
	if run, ok := step.Record.(*index.Run); ok {
		for i := range run.Entries {
			if run.Entries[i].Empty() {
				c["empty"]++
			}
		}
	}
}

// TestEverythingHappens checks that the histories exercise every rule, with both outcomes.
func TestEverythingHappens(t *testing.T)     { tryEverything(t, 30) }
func TestEverythingHappensLong(t *testing.T) { tryEverything(t, 400) }

func tryEverything(t *testing.T, seeds int) {
	c := tally{}
	for s := *seed; s < *seed+uint64(seeds); s++ {
		p, steps := history(t, s, 400)
		twin, fills := naive.New(p, text, fingerprint), map[int64]bool{} // offsets of their records
		judging := false
		for _, step := range steps {
			before := twin.Stats()
			filled, _ := twin.Filled(entry.Source{})
			verdicts := twin.Apply(step.At, step.Record)
			switch rec := step.Record.(type) {
			case *index.Fill:
				fills[step.At.Offset] = true
				c.filled(twin, filled, rec, judging)
			case *index.Reposition:
				judging = judging || twin.Stats().Applied > before.Applied
			}
			c.step(twin, before, step, verdicts, fills)
			if forget, ok := step.Record.(*index.Forget); ok {
				for _, source := range sources(steps) {
					state, _ := twin.Partition(source)
					for _, v := range state.Held {
						if v.Position == forget.Target && v.Forgotten {
							c["forgotten while held"]++
						}
					}
				}
			}
		}
		stats := twin.Stats()
		c["known again"] += stats.Known
		c["full"] += stats.Full
		c["fine keys"] += stats.Fine
		c["left out"] += stats.Unverified
		c["too costly"] += stats.TooCostly
		c["entered again"] += stats.Reentered
		c["copies kept"] += stats.Kept
		c["let through to make up"] += stats.MadeUp
		if stats.Unreadable > 0 {
			t.Errorf("seed %d: %d comparisons without evidence", s, stats.Unreadable)
		}
	}
	for what, least := range map[string]int{ // in forty histories
		"applied Settings": 38, "ignored Settings": 40, "applied Run": 4000, "ignored Run": 1000,
		"applied Reposition": 300, "ignored Reposition": 100, "applied Forget": 300, "ignored Forget": 10,
		"applied Erase": 150, "ignored Erase": 3,
		"applied Checkpoint": 40, "ignored Checkpoint": 2, "applied Accusation": 10, "applied Mark": 10, "ignored stray": 10,
		"unique": 3000, "empty": 200, "method identical": 1000,
		"method jaccard": 200, "method estimate": 200, "method hamming": 50, "method levenshtein": 50, "many copies": 100,
		"between 0.8 and 1": 100, "known again": 1000,
		"match of long ago": 10, "forgotten while held": 50, "full": 50, "fine keys": 50, "left out": 50, "too costly": 50, "unique, cut": 50,
		"let through": 200, "let through to make up": 20, "entered again": 500, "copies kept": 500,
		"applied Fill": 150, "ignored Fill": 200, "copy of what was filled": 60, "another fill": 6, "filled": 500,
		"filled, too old": 20, "filled, empty": 15, "filled too late": 100, "filled by another feeder": 15,
		"method resent": 200,
	} {
		if least = max(1, least*seeds/40); c[what] < least {
			t.Errorf("%s: %d times, want at least %d", what, c[what], least)
		}
	}
	t.Log(c)
}

func sources(steps []random.Step) []entry.Source {
	seen := map[entry.Source]bool{}
	var list []entry.Source
	for _, step := range steps {
		if run, ok := step.Record.(*index.Run); ok && !seen[run.Source] {
			seen[run.Source] = true
			list = append(list, run.Source)
		}
	}
	return list
}
