package sim

import (
	"testing"
)

// However groups take over from each other, and whatever is killed, late or abandoned: each document comes out once, and
// no content is unique in two groups.
func TestSuccession(t *testing.T)     { trySuccessions(t, 1_400_000) }
func TestSuccessionLong(t *testing.T) { trySuccessions(t, 47_000_000) }

func trySuccessions(t *testing.T, steps int) {
	t.Helper()
	t.Parallel()
	acted := tell(t, steps, func(seed uint64, trace bool, acted map[string]int) Result {
		w := NewSuccession(seed, Bugs{})
		r := w.Run(successionSteps, trace)
		for what, n := range w.acted {
			acted[what] += n
		}
		return r
	})
	if chosen() {
		return
	}
	for _, what := range []string{
		"a name returns", "a round", "declared as activate", "declared as restore", "declared as retire", "declared as void",
		"ended by a routing", "fencing failed", "fill begun",
		"over", "refused", "refused for its routing", "routing too late", "waited for a fill",
	} {
		if acted[what] == 0 {
			t.Errorf("%q never happened", what)
		}
	}
}

// Each bug that is planted breaks something within some histories.
func TestSuccessionFindsBugs(t *testing.T) {
	t.Parallel()
	for name, bugs := range map[string]Bugs{
		"an old member returns": {Returns: true}, "ends that are read early": {Early: true},
	} {
		found, seed := "", uint64(0)
		for ; seed < 4000 && found == ""; seed++ {
			found = NewSuccession(seed, bugs).Run(successionSteps, false).Failure
		}
		if found == "" {
			t.Errorf("%s: nothing was found", name)
		}
		t.Logf("%s: seed %d: %s", name, seed-1, found)
	}
}
