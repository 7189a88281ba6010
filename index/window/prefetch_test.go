package window

import "testing"

// TestPrefetchChangesNothing: fetching some lines, or none, changes nothing.
func TestPrefetchChangesNothing(t *testing.T) {
	lines := make([]line, 100)
	var fetched []*line
	var probes []probe
	for i := range lines {
		lines[i][0] = uint32(i)
		fetched = append(fetched, &lines[i], nil)
		prefetch(fetched)
		probes = append(probes, probe{line: &lines[i]}, probe{})
		prefetchProbes(probes)
	}
	prefetch(nil)
	prefetchProbes(nil)
	for i := range lines {
		if lines[i] != (line{uint32(i)}) || fetched[2*i] != &lines[i] || fetched[2*i+1] != nil {
			t.Fatalf("line %d became %v", i, lines[i])
		}
	}
}
