package sim

import (
	"flag"
	"reflect"
	"testing"
)

var (
	first = flag.Uint64("first", 1, "the first seed")
	steps = flag.Int("steps", 4_000_000, "how many steps TestSimulateLong takes")
)

// TestSimulate makes up histories and expects that none breaks anything, and that nearly everything happens in them that the
// simulation has. In the long form everything does: otherwise the simulation proves less than it says.
func TestSimulate(t *testing.T)     { trySteps(t, 100_000, 5) }
func TestSimulateLong(t *testing.T) { trySteps(t, *steps, 0) }

// trySteps takes so many steps, in which so many of what can happen may not.
func trySteps(t *testing.T, steps, rare int) {
	acted := map[string]int{}
	total := 0
	for seed := *first; total < steps; seed++ {
		w := New(Vary(seed), seed)
		w.acted = acted
		r := w.run()
		total += r.Steps
		if r.Failure != "" {
			t.Fatalf("seed %d, after %d steps: %s\n  see it: go run ./deploy/dev/simulate -seed %d", seed, total, r.Failure, seed)
		}
	}
	var never []string
	for _, what := range happens {
		if acted[what] == 0 {
			never = append(never, what)
		}
		delete(acted, what)
	}
	if len(never) > rare {
		t.Errorf("these never happened: %q", never)
	}
	for what, n := range acted {
		t.Errorf("%s: %d times, and not in the list", what, n)
	}
}

var happens = []string{
	"aborted", "announced", "begun behind what was deleted", "head deleted", "markers polled alone", "another document", "answer lost", "append damaged", "append lost", "append of the dead", "append repeated",
	"commit of an epoch refused", "committed", "damaged", "divergence found", "ended by a routing", "epoch left without reposition", "expelled", "forget", "given up",
	"gone wrong", "intruder", "judged under another routing", "killed", "lie found", "lost its partitions", "lost offsets", "offset deleted", "offset lost", "offset set",
	"offsets refused", "refused for its routing", "routing changed", "routing too late", "outcome undecided", "outcome unknown", "overtaken by trimming", "rebalance", "rebuilt", "refusal foreseen", "recreated", "reposition",
	"reposition resumed", "restored", "snapshot", "stranger", "stray", "stray passed", "tail lost", "transaction timed out", "trimmed", "zombie",
}

// A seed finds its history again, step by step.
func TestSeedTellsTheSameAgain(t *testing.T) {
	for seed := uint64(1); seed < 20; seed++ {
		a, b := Run(Vary(seed), seed, true), Run(Vary(seed), seed, true)
		if !reflect.DeepEqual(a, b) || len(a.Trace) == 0 {
			t.Fatalf("seed %d: two histories", seed)
		}
	}
}
