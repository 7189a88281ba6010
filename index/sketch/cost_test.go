package sketch

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

func load(documents int, chance float64) Load {
	return Load{Documents: documents, Read: 3584, Background: []Share{{1, chance}, {3e-4, 0.3}}}
}

func TestPlanByCost(t *testing.T) {
	for _, c := range []struct {
		threshold, recall float64
		load              Load
		want              Banding
	}{
		{0.8, 0.98, load(400_000, 0.003), Banding{10, 5}},
		{0.8, 0.98, load(1_000_000, 0.003), Banding{13, 6}},
		{0.8, 0.98, load(2_000_000, 0.003), Banding{13, 6}},
		{0.8, 0.98, load(10_000_000, 0.003), Banding{22, 8}},
		{0.8, 0.98, load(100_000_000, 0.003), Banding{35, 10}}, // no more slots than 400
		{0.8, 0.98, load(1_000_000, 0.31), Banding{35, 10}},
		{0.8, 0.98, load(100_000_000, 0.31), Banding{35, 10}}, // more candidates than are read: as many rows as fit
		{0.3, 0.98, load(1_000_000, 0.9), Banding{64, 2}},     // the same, of texts that are more alike than copies are
		{0.8, 0.98, Load{Documents: 1000}, Banding{4, 2}},     // nothing to tell apart, and yet not a single row
		{0.04, 0.98, Load{Documents: 1000}, Banding{96, 1}},   // two rows do not fit
		{1, 0.98, load(1_000_000, 0.003), Banding{1, 8}},
	} {
		got, err := PlanByCost(c.threshold, c.recall, c.load)
		if err != nil || got != c.want {
			t.Errorf("%v, recall %v, %+v: got %v, %v, want %v", c.threshold, c.recall, c.load, got, err, c.want)
		}
	}
}

// Of all bandings that keep recall none is cheaper, and none that does needs fewer bands of as many rows.
func TestPlanByCostIsTheCheapest(t *testing.T) {
	for threshold := 0.3; threshold <= 1; threshold += 0.07 {
		for _, recall := range []float64{0.5, 0.9, 0.98, 0.999} {
			for _, l := range []Load{{}, load(1000, 0.003), load(1_000_000, 0.07), load(30_000_000, 0.003)} {
				plan, err := PlanByCost(threshold, recall, l)
				if err != nil {
					continue
				}
				if plan.Rows < leastRows && (Banding{plannedSlots / 2, 2}).Probability(threshold) > recall {
					t.Fatalf("%v, recall %v, %+v: %v", threshold, recall, l, plan)
				}
				if plan.Probability(threshold) < recall-1e-12 || plan.Bands*plan.Rows > plannedSlots {
					t.Fatalf("%v, recall %v: %v finds %v", threshold, recall, plan, plan.Probability(threshold))
				}
				if l.Cost(plan).Met > float64(l.Read) {
					continue // as TestPlanByCost has it
				}
				for rows := leastRows; rows <= plannedSlots; rows++ {
					for bands := 1; bands*rows <= plannedSlots; bands++ {
						other := Banding{bands, rows}
						if other.Probability(threshold) > recall+1e-12 && l.Cost(other).Sum() < l.Cost(plan).Sum() && plan.Rows >= leastRows {
							t.Fatalf("%v, recall %v, %+v: %v, though %v costs less", threshold, recall, l, plan, other)
						}
					}
				}
			}
		}
	}
}

func TestCost(t *testing.T) {
	c := Load{Documents: 1_000_000, Background: []Share{{0.001, 0.5}, {1, 0}}}.Cost(Banding{2, 2})
	if met := 1000 * (1 - 0.75*0.75); c.Met != met || c.Candidates != met*candidateCost || c.Slots != 4*slotCost ||
		c.Bands != 2*bandCost || math.Abs(c.Sum()-c.Slots-c.Bands-c.Candidates) > 1e-9 {
		t.Errorf("got %+v", c)
	}
}

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
