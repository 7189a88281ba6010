package sim

import (
	"slices"
	"testing"
)

// Histories in which bounds are changed and documents erased.
func TestChange(t *testing.T)     { trySteps(t, VaryChanged, allHappens(), 100_000, 8) }
func TestChangeLong(t *testing.T) { trySteps(t, VaryChanged, allHappens(), 2_000_000, 0) }

var changeHappens = []string{
	"audited from a snapshot", "bounds changed", "bounds too late", "erased", "erased again",
	"read behind what was trimmed", "another machine", "applied in part", "file healed", "file lost", "filed too late",
	"snapshot without a file", "store away", "found by a block", "block too late", "no need of it any more", "block lost",
	"judging waits for files",
}

// allHappens is what happens to groups of all kinds.
func allHappens() []string {
	all := slices.Concat(changeHappens, happens, fillHappens, backfillHappens)
	slices.Sort(all)
	return slices.Compact(all)
}
