package sketch

import (
	"fmt"
	"math"
)

// Plan groups slots into bands so that at least the share recall of the pairs exactly at the threshold become candidates. Of
// the bandings that do, and that spend all slots, it is the one with the least expected candidates: that of the most rows, as
// each row more keeps dissimilar pairs out. The slots are signed anyway, so none is saved where fewer bands would do: recall
// is a floor. It holds for short texts too: see TestBandsCollideAsPlannedLong.
//
// threshold is a Jaccard similarity above 0 and up to 1, recall is between 0 and 1, slots an even number from 16 to 1024.
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
	if !(threshold > 0 && threshold <= 1) { // so written, NaN is refused too
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

// impossible explains a target that not even bands of one row reach.
func impossible(threshold float64, slots int, recall float64) error {
	most := Banding{Bands: slots, Rows: 1}.Probability(threshold)
	missed := math.Log1p(-recall) // Log1p and Expm1, as 1 less something tiny is 1
	lowest := -math.Expm1(missed / float64(slots))
	err := fmt.Errorf("with %d slots at most %.4f of the pairs at threshold %v are found, not %v; possible is a threshold of at least %.4f",
		slots, math.Floor(most*scale)/scale, threshold, recall, math.Ceil(lowest*scale)/scale)
	if need := 2 * math.Ceil(missed/math.Log1p(-threshold)/2); need > float64(slots) && need <= MaxSlots {
		err = fmt.Errorf("%w, or at least %d slots", err, int(need))
	}
	return err
}
