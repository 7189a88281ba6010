package sketch

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// testdata/datasketch.tsv is what datasketch 2.0.0 chooses: _optimal_param(threshold, num_perm, 0.5, 0.5) in its
// module lsh.
func TestPlanByAreaIsDatasketchs(t *testing.T) {
	table, err := os.ReadFile("testdata/datasketch.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(table)), "\n")[1:]
	if len(rows) != 24 {
		t.Errorf("%d rows", len(rows))
	}
	for _, row := range rows {
		var threshold float64
		var slots int
		var want Banding
		if _, err := fmt.Sscan(row, &threshold, &slots, &want.Bands, &want.Rows); err != nil {
			t.Fatalf("the row %q cannot be read: %v", row, err)
		}
		if got, err := PlanByArea(threshold, slots); err != nil || got != want {
			t.Errorf("%s: got %v, %v", row, got, err)
		}
	}
}

// The exact areas are compared with a sum of thin slices.
func TestAreas(t *testing.T) {
	for _, c := range []struct {
		threshold float64
		Banding
	}{{0.8, Banding{9, 13}}, {0.5, Banding{128, 1}}, {0.3, Banding{1, 128}}, {1, Banding{18, 7}}} {
		curve := areas{threshold: c.threshold, rows: c.Rows, left: c.threshold, all: 1, unlike: 1}
		for range c.Bands {
			curve.addBand()
		}
		const slices = 200_000
		var falseArea, missedArea float64
		for i := range slices {
			s := (float64(i) + 0.5) / slices
			if s < c.threshold {
				falseArea += c.Probability(s) / slices
			} else {
				missedArea += (1 - c.Probability(s)) / slices
			}
		}
		if math.Abs(curve.falseArea()-falseArea) > 1e-8 || math.Abs(curve.missedArea()-missedArea) > 1e-8 {
			t.Errorf("%v, %v: got %v and %v, want %v and %v", c.threshold, c.Banding, curve.falseArea(), curve.missedArea(),
				falseArea, missedArea)
		}
	}
}
