package sketch

import (
	"fmt"
	"math"
)

// Plan groups slots into bands so that at least the share recall of the pairs exactly at the threshold become
// candidates. Of the bandings that do, and use all slots, it chooses the one with the fewest expected candidates. That
// is the one with the most rows, because each row keeps dissimilar pairs out. All slots are signed in any case, so none
// is saved where fewer bands would do: recall is a lower bound. It holds for short texts too: see
// TestBandsCollideAsPlannedLong.
//
// threshold is a Jaccard similarity above 0 and up to 1, recall is between 0 and 1, and slots is an even number from 16
// to 1024.
func Plan(threshold float64, slots int, recall float64) (Banding, error) {
	if err := checkPlan(threshold, slots, recall); err != nil {
		return Banding{}, fmt.Errorf("plan bands: %w", err)
	}
	for rows := slots; rows > 0; rows-- {
		plan := Banding{Bands: slots / rows, Rows: rows}
		if plan.Probability(threshold) >= recall {
			return plan, nil
		}
	}
	return Banding{}, fmt.Errorf("plan bands: %w", impossible(threshold, slots, recall))
}

func checkThreshold(threshold float64) error {
	if !(threshold > 0 && threshold <= 1) { // written this way, NaN is refused too
		return fmt.Errorf("a threshold of %v is impossible; possible is above 0 and up to 1", threshold)
	}
	return nil
}

func checkPlan(threshold float64, slots int, recall float64) error {
	if err := checkThreshold(threshold); err != nil {
		return err
	}
	if !(recall > 0 && recall < 1) {
		return fmt.Errorf("a recall of %v is impossible; possible is above 0 and below 1", recall)
	}
	return checkSlots(slots)
}

// impossible describes a target that not even bands of one row reach.
func impossible(threshold float64, slots int, recall float64) error {
	most := Banding{Bands: slots, Rows: 1}.Probability(threshold)
	missed := math.Log1p(-recall) // Log1p and Expm1, because 1 minus something tiny is 1
	lowest := -math.Expm1(missed / float64(slots))
	err := fmt.Errorf("with %d slots at most %.4f of the pairs at threshold %v are found, not %v; possible is a "+
		"threshold of at least %.4f",
		slots, math.Floor(most*scale)/scale, threshold, recall, math.Ceil(lowest*scale)/scale)
	if need := 2 * math.Ceil(missed/math.Log1p(-threshold)/2); need > float64(slots) && need <= MaxSlots {
		err = fmt.Errorf("%w, or at least %d slots", err, int(need))
	}
	return err
}
