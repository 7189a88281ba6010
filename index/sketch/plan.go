package sketch

import (
	"fmt"
	"math"
)

// Plan groups slots into bands so that at least the share recall of the pairs exactly at the threshold become candidates:
// into the most rows with which that is possible, as each row more keeps dissimilar pairs out, and then into all the bands
// there are slots for, which are signed anyway. So recall is a floor. It holds for short texts too: their bands collide a
// little less often than those of independent permutations, but less often all together (see TestBandsCollideAsPlanned).
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

func checkPlan(threshold float64, slots int, recall float64) error {
	if !(threshold > 0 && threshold <= 1) { // so written, NaN is refused too
		return fmt.Errorf("a threshold of %v is impossible; possible is above 0 and up to 1", threshold)
	}
	if !(recall > 0 && recall < 1) {
		return fmt.Errorf("a recall of %v is impossible; possible is above 0 and below 1", recall)
	}
	return checkSlots(slots)
}

// impossible explains a target that not even bands of one row reach.
func impossible(threshold float64, slots int, recall float64) error {
	most := Banding{Bands: slots, Rows: 1}.Probability(threshold)
	lowest := 1 - math.Pow(1-recall, 1/float64(slots))
	err := fmt.Errorf("with %d slots at most %.4f of the pairs at threshold %v are found, not %v; possible is a threshold of at least %.4f",
		slots, math.Floor(most*scale)/scale, threshold, recall, math.Ceil(lowest*scale)/scale)
	if need := 2 * math.Ceil(math.Log(1-recall)/math.Log(1-threshold)/2); need <= MaxSlots {
		err = fmt.Errorf("%w, or at least %d slots", err, int(need))
	}
	return err
}
