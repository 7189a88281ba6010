package sim

import (
	"cmp"
	"flag"
	"reflect"
	"strings"
	"testing"
)

var (
	first  = flag.Uint64("first", 1, "the first seed")
	steps  = flag.Int("steps", 0, "how many steps a long test takes; 0: its own number")
	one    = flag.Uint64("seed", 0, "the seed of the only history: a long test tells it, a line a step")
	shrink = flag.Bool("shrink", false, "with -seed: look for a shorter history that breaks something")
)

// TestSimulate makes up histories and expects that none breaks anything, and that nearly everything happens in them
// that the simulation has. In the long form everything does: otherwise the simulation proves less than it says.
func TestSimulate(t *testing.T)     { trySteps(t, Vary, happens, 100_000, 5) }
func TestSimulateLong(t *testing.T) { trySteps(t, Vary, happens, 4_000_000, 0) }

// The same of backfills.
func TestBackfill(t *testing.T)     { trySteps(t, VaryBackfill, backfillHappens, 100_000, 5) }
func TestBackfillLong(t *testing.T) { trySteps(t, VaryBackfill, backfillHappens, 1_000_000, 0) }

// The same of groups whose history begins with fills.
func TestFill(t *testing.T) { trySteps(t, VaryFilled, append(fillHappens, happens...), 100_000, 8) }

func TestFillLong(t *testing.T) {
	trySteps(t, VaryFilled, append(fillHappens, happens...), 2_000_000, 0)
}

// The same of groups that pass documents on while their journal is away. No offsets are lost there, which are two.
func TestOutage(t *testing.T) { trySteps(t, VaryOutage, append(outageHappens, happens...), 100_000, 5) }

func TestOutageLong(t *testing.T) {
	trySteps(t, VaryOutage, append(outageHappens, happens...), 2_000_000, 2)
}

// The same of groups whose documents come with idempotency keys.
func TestRequests(t *testing.T) {
	trySteps(t, VaryRequests, append(requestHappens, happens...), 100_000, 5)
}

func TestRequestsLong(t *testing.T) {
	trySteps(t, VaryRequests, append(requestHappens, happens...), 2_000_000, 0)
}

// trySteps takes so many steps, in which so many of what can happen may not.
func trySteps(t *testing.T, vary func(uint64) Params, happens []string, steps, rare int) {
	t.Helper()
	if *one > 0 && *shrink {
		p, seed, _ := Shrink(vary(*one), *one)
		t.Logf("%+v, seed %d", p, seed)
		vary, *one = func(uint64) Params { return p }, seed
	}
	acted := tell(t, steps, func(seed uint64, trace bool, acted map[string]int) Result {
		w := New(vary(seed), seed)
		w.acted, w.tracing = acted, trace
		return w.run()
	})
	var never []string
	for _, what := range happens {
		if acted[what] == 0 {
			never = append(never, what)
		}
		delete(acted, what)
	}
	if len(never) > rare && !chosen() {
		t.Errorf("these never happened: %q", never)
	}
	for what, n := range acted {
		t.Errorf("%s: %d times, and not in the list", what, n)
	}
}

// chosen says that somebody has said which histories are told.
func chosen() bool { return *steps > 0 || *one > 0 }

// tell tells the histories of one seed after the other, or of the only one, and returns what happened in them.
func tell(t *testing.T, most int, run func(seed uint64, trace bool, acted map[string]int) Result) map[string]int {
	t.Helper()
	from, done, acted := cmp.Or(*one, *first), 0, map[string]int{}
	seed := from
	for most = cmp.Or(*steps, most); done < most && (*one == 0 || seed == *one); seed++ {
		r := run(seed, *one > 0, acted)
		if *one > 0 {
			t.Log(strings.Join(r.Trace, "\n"))
		}
		if done += r.Steps; r.Failure != "" {
			t.Fatalf("seeds %d to %d: %d steps, 1 violation\n%s\n  see it: go test ./consumer/protocol/sim -run %s -seed %d", from, seed,
				done, r.Failure, t.Name(), seed)
		}
	}
	t.Logf("seeds %d to %d: %d steps, no violation", from, seed-1, done)
	return acted
}

var happens = []string{
	"a loss not told", "aborted", "announced", "begun behind what was deleted", "head deleted", "markers polled alone", "another document",
	"answer lost", "append damaged", "append lost", "append of the dead", "append repeated",
	"commit of an epoch refused", "committed", "damaged", "divergence found", "dropped", "ended by a routing",
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
	"dropped", "ended for a person", "epoch left without reposition", "expelled", "fed to the end", "feed not taken",
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
	for _, vary := range []func(uint64) Params{Vary, VaryBackfill, VaryFilled, VaryChanged} {
		for seed := uint64(1); seed < 20; seed++ {
			a, b := Run(vary(seed), seed, true), Run(vary(seed), seed, true)
			if !reflect.DeepEqual(a, b) || len(a.Trace) == 0 {
				t.Fatalf("seed %d: two histories", seed)
			}
		}
	}
}
