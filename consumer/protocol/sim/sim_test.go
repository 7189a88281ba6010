package sim

import (
	"flag"
	"reflect"
	"testing"
)

var (
	first = flag.Uint64("first", 1, "the first seed")
	steps = flag.Int("steps", 4_000_000, "how many steps TestSimulateLong takes; TestBackfillLong takes a fourth")
)

// TestSimulate makes up histories and expects that none breaks anything, and that nearly everything happens in them
// that the simulation has. In the long form everything does: otherwise the simulation proves less than it says.
func TestSimulate(t *testing.T)     { trySteps(t, Vary, happens, 100_000, 5) }
func TestSimulateLong(t *testing.T) { trySteps(t, Vary, happens, *steps, 0) }

// The same of backfills.
func TestBackfill(t *testing.T)     { trySteps(t, VaryBackfill, backfillHappens, 100_000, 5) }
func TestBackfillLong(t *testing.T) { trySteps(t, VaryBackfill, backfillHappens, *steps/4, 0) }

// The same of groups whose history begins with fills.
func TestFill(t *testing.T) { trySteps(t, VaryFilled, append(fillHappens, happens...), 100_000, 8) }

func TestFillLong(t *testing.T) {
	trySteps(t, VaryFilled, append(fillHappens, happens...), *steps/2, 0)
}

// The same of groups that pass documents on while their journal is away.
func TestOutage(t *testing.T) { trySteps(t, VaryOutage, append(outageHappens, happens...), 100_000, 5) }

func TestOutageLong(t *testing.T) {
	trySteps(t, VaryOutage, append(outageHappens, happens...), *steps/2, 2) // no offsets are lost there, which are two
}

// The same of groups whose documents come with idempotency keys.
func TestRequests(t *testing.T) {
	trySteps(t, VaryRequests, append(requestHappens, happens...), 100_000, 5)
}

func TestRequestsLong(t *testing.T) {
	trySteps(t, VaryRequests, append(requestHappens, happens...), *steps/2, 0)
}

// trySteps takes so many steps, in which so many of what can happen may not.
func trySteps(t *testing.T, vary func(uint64) Params, happens []string, steps, rare int) {
	acted := map[string]int{}
	total := 0
	for seed := *first; total < steps; seed++ {
		w := New(vary(seed), seed)
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
	"a loss not told", "aborted", "announced", "begun behind what was deleted", "head deleted", "markers polled alone", "another document",
	"answer lost", "append damaged", "append lost", "append of the dead", "append repeated",
	"commit of an epoch refused", "committed", "damaged", "divergence found", "ended by a routing",
	"epoch left without reposition", "expelled", "forget", "given up",
	"gone wrong", "intruder", "judged under another routing", "killed", "lie found", "lost its partitions", "lost offsets",
	"offset deleted", "offset lost", "offset set",
	"offsets refused", "refused for its routing", "routing changed", "routing too late", "outcome undecided",
	"outcome unknown", "overtaken by trimming", "rebalance", "rebuilt", "refusal foreseen", "records brought twice", "recreated", "reposition",
	"reposition resumed", "restored", "snapshot", "stranger", "stray", "stray passed", "tail lost",
	"transaction timed out", "trimmed", "zombie",
}

var requestHappens = []string{"sent again"}

var outageHappens = []string{"passed on", "recorded", "recording"}

var backfillHappens = []string{
	"a loss not told", "barren", "barren to feed", "announced", "announced early", "answer lost", "append damaged", "append lost", "append of the dead",
	"append repeated", "commit of an epoch refused", "committed", "compacted", "damaged", "divergence found",
	"ended for a person", "epoch left without reposition", "expelled", "fed to the end", "feed not taken",
	"feeder overtaken", "feeder replaced", "feeder started", "feeder waits for room", "forget", "given up",
	"gone wrong", "head deleted", "killed", "lie found", "lost its partitions", "lost offsets", "offset deleted",
	"offset lost", "offset set", "offsets refused", "outcome undecided", "outcome unknown", "overtaken by trimming",
	"polled beyond the reach", "range rests", "rebalance", "rebuilt", "records brought twice", "refusal foreseen", "reposition",
	"reposition resumed", "restored", "snapshot", "stranger", "stray", "stray passed", "transaction timed out",
	"trimmed", "zombie", "aborted",
}

var fillHappens = []string{
	"a round", "barren to feed", "compacted", "deleted before it was filled", "fed to the end", "feed not taken", "feeder overtaken",
	"fill behind the beginning", "fill begun", "fill not taken", "filled again", "filler has no more to do", "filler killed",
	"filler started", "filling", "forwards soon", "range rests", "the fill is over", "waited for a fill",
}

// A seed finds its history again, step by step.
func TestSeedTellsTheSameAgain(t *testing.T) {
	for _, vary := range []func(uint64) Params{Vary, VaryBackfill, VaryFilled} {
		for seed := uint64(1); seed < 20; seed++ {
			a, b := Run(vary(seed), seed, true), Run(vary(seed), seed, true)
			if !reflect.DeepEqual(a, b) || len(a.Trace) == 0 {
				t.Fatalf("seed %d: two histories", seed)
			}
		}
	}
}
