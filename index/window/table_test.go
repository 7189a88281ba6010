package window

import (
	"slices"
	"testing"
)

// TestSpillLineIsTakenBack: a bucket takes one line again as soon as its visible entries, and one more, fit into it.
func TestSpillLineIsTakenBack(t *testing.T) {
	tab := newTable(0)
	l, level := tab.lines.at(0), tab.levelOf(0)
	insert := func(s span) { tab.insert(l, level, 0, s.end, s) }
	for r := range Ref(lineSlots + 3) {
		insert(span{end: r})
	}
	for _, c := range []struct {
		oldest Ref
		lines  int
	}{{0, 1}, {3, 1}, {5, 1}, {7, 0}, {8, 0}} {
		end := Ref(lineSlots+3) + c.oldest/2
		insert(span{oldest: c.oldest, end: end})
		var got []Ref
		for _, it := range tab.gather(nil, 0, span{oldest: c.oldest, end: end + 1}) {
			got = append(got, it.Ref)
		}
		if tab.spill.lines != c.lines || len(got) != int(end+1-c.oldest) ||
			!slices.IsSortedFunc(got, func(a, b Ref) int { return int(b) - int(a) }) {
			t.Errorf("from %d to %d: %d spill lines, want %d; documents %v", c.oldest, end, tab.spill.lines, c.lines, got)
		}
	}
}
