package sim

import "testing"

// However groups take over from each other, and whatever is killed, late or abandoned: each document comes out once.
func TestSuccession(t *testing.T)     { trySuccessions(t, 1500) }
func TestSuccessionLong(t *testing.T) { trySuccessions(t, 100_000) }

func trySuccessions(t *testing.T, histories uint64) {
	t.Helper()
	t.Parallel()
	acted := map[string]int{}
	for seed := range histories {
		w := NewSuccession(seed, Bugs{})
		w.acted = acted
		if failed := w.Run(1500); failed != "" {
			t.Fatalf("seed %d, after %d steps: %s", seed, w.steps, failed)
		}
	}
	for _, what := range []string{
		"aborted", "committed", "declared", "ended by the retirement", "expelled", "follows in turn",
		"judged by another duty", "killed", "outdated",
		"over", "refused", "refused: retired", "too late",
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
		"undrained": {Undrained: true}, "a hole": {Hole: true}, "an overlap": {Overlap: true},
		"an old member returns": {Returns: true},
		"a shadow goes too far": {Beyond: true}, "a stale takeover": {Stale: true}, "a former beginning": {Forgets: true},
	} {
		found := ""
		for seed := uint64(0); seed < 20_000 && found == ""; seed++ {
			found = NewSuccession(seed, bugs).Run(1500)
		}
		if found == "" {
			t.Errorf("%s: nothing was found", name)
		}
	}
}
