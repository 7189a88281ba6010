package index

import (
	"slices"
	"testing"

	"github.com/unecho/unecho/index/setting"
)

// Each value that the code compares with is one that the setting can have.
func TestWordsAreChoices(t *testing.T) {
	words := map[string][]string{
		"duplicates.verify": {verifyLevenshtein, verifyEstimate}, "duplicates.plan": {planArea},
		"duplicates.evidence":       {evidenceAuto, evidenceShingles, evidenceText},
		"duplicates.remember.clock": {clockEvent}, "duplicates.remember.refresh": {refreshFirst, refreshLast},
	}
	for _, f := range setting.Fields(DefaultParams()) {
		for _, word := range words[f.Key] {
			if !slices.Contains(f.Enum, word) {
				t.Errorf("%s cannot be %s", f.Key, word)
			}
		}
		if len(f.Enum) > 0 && !slices.Contains(f.Enum, f.Text()) {
			t.Errorf("%s is %s by default, which it cannot be", f.Key, f.Text())
		}
		delete(words, f.Key)
	}
	if len(words) > 0 {
		t.Errorf("no such settings: %v", words)
	}
}
