package sketch

import (
	"fmt"
	"math"
)

// PlanByArea chooses a banding as datasketch does (MinHashLSH, its function _optimal_param), so that settings found
// with it can be carried over. It minimises the weighted sum of two areas: the area below the S-curve left of the
// threshold (false candidates), and the area above it to the right (missed ones). That promises nothing about recall:
// at 0.8, 128 slots and equal weights it chooses 9 bands of 13 rows, which find 0.40 of the pairs at the threshold.
//
// The weights are 0 or more, and not both 0; datasketch's own default is 0.5 for each.
func PlanByArea(threshold float64, slots int, falseWeight, missedWeight float64) (Banding, error) {
	if err := checkArea(threshold, slots, falseWeight, missedWeight); err != nil {
		return Banding{}, fmt.Errorf("plan bands by area: %w", err)
	}
	var best Banding
	least := math.Inf(1)
	for rows := 1; rows <= slots; rows++ {
		curve := areas{threshold: threshold, rows: rows, left: threshold, all: 1, unlike: 1}
		for bands := 1; bands*rows <= slots; bands++ {
			curve.addBand()
			cost := float64(falseWeight*curve.falseArea()) + float64(missedWeight*curve.missedArea())
			if cost < least {
				best, least = Banding{Bands: bands, Rows: rows}, cost
			}
		}
	}
	return best, nil
}

// areas returns the areas above the S-curve, of the pairs not found: the integrals of (1-s^rows)^bands up to the
// threshold and up to 1. They follow exactly from those of one band less, because integration by parts gives
//
//	(1 + bands x rows) I(bands) = t (1-t^rows)^bands + bands x rows I(bands-1)
//
// As in Probability, conversions forbid fused instructions, so that all processors reach the same plan.
type areas struct {
	threshold   float64
	rows, bands int
	left, all   float64
	unlike      float64 // (1-threshold^rows)^bands
}

func (a *areas) addBand() {
	a.bands++
	n := float64(a.bands * a.rows)
	a.unlike = float64(a.unlike * (1 - power(a.threshold, a.rows)))
	a.left = (float64(a.threshold*a.unlike) + float64(n*a.left)) / (1 + n)
	a.all = float64(n*a.all) / (1 + n)
}

func (a *areas) falseArea() float64  { return a.threshold - a.left }
func (a *areas) missedArea() float64 { return a.all - a.left }

func checkArea(threshold float64, slots int, falseWeight, missedWeight float64) error {
	if err := checkThreshold(threshold); err != nil {
		return err
	}
	if !(falseWeight >= 0 && missedWeight >= 0 && falseWeight+missedWeight > 0 && falseWeight+missedWeight < math.Inf(1)) {
		return fmt.Errorf("weights of %v and %v are impossible; possible are 0 and more, not both 0", falseWeight,
			missedWeight)
	}
	return checkSlots(slots)
}
