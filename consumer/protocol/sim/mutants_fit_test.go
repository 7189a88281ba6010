package sim_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestBugsFit: the text of each planted bug stands in the code exactly once.
func TestBugsFit(t *testing.T) {
	t.Parallel()
	for _, m := range slices.Concat(mutants, loopMutants, backfillMutants, fillMutants, successionMutants, changeMutants, filesMutants, hashMutants, outageMutants, requestMutants, narrow,
		[]mutant{equalHashes}) {
		text, err := os.ReadFile(filepath.Join("../../..", m.file))
		if n := strings.Count(string(text), m.old); err != nil || n != 1 {
			t.Errorf("%s: its text stands %d times in %s: %v", m.rule, n, m.file, err)
		}
	}
}
