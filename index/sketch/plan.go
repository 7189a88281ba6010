package sketch

import (
	"cmp"
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
		return Banding{}, err
	}
	for rows := slots; rows > 0; rows-- {
		plan := Banding{Bands: slots / rows, Rows: rows}
		if plan.Probability(threshold) >= recall {
			return plan, nil
		}
	}
	return Banding{}, impossible(threshold, slots, recall)
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

// Load is what bands have to carry, apart from the copies that they are to find.
type Load struct {
	Documents  int     // number of documents that one is compared with
	Read       int     // number of candidates that are read at most
	Tags       int     // numbers by which band keys are told apart before documents are; 0 if none are alike by chance
	Background []Share // how similar documents are that are no copies of each other
}

// Share is a share of the pairs of documents, and the Jaccard similarity of the documents of such a pair.
type Share struct{ Share, Similarity float64 }

// Cost is what one document costs under a banding, in nanoseconds of one core.
type Cost struct {
	Slots      float64 // to draw the slots of the bands
	Bands      float64 // to make the keys of the bands, to carry them in the journal, and to look them up in the tables and add them
	Candidates float64 // to read and to rule out the candidates that are no copies
	Met        float64 // number of these candidates
}

// Sum returns the whole cost.
func (c Cost) Sum() float64 { return c.Slots + c.Bands + c.Candidates }

// Nanoseconds by which a banding is weighed, on one core of a server. `make bench-bands` measures slots and bands: see
// decision 61. `go test -bench ApplyUnlike ./index -large` measures candidates whose digests lie scattered in a window of
// ten million: see decision 75. Only their ratios decide.
const (
	slotCost      = 3.0
	bandCost      = 150.0
	candidateCost = 200.0
)

// Cost returns what a document costs under a banding.
func (l Load) Cost(b Banding) Cost {
	met := 0.0
	for _, s := range l.Background {
		met += float64(float64(s.Share*float64(l.Documents)) * b.Probability(s.Similarity))
	}
	if l.Tags > 0 {
		met += float64(l.Documents) * float64(b.Bands) / float64(l.Tags)
	}
	return CostOf(b, met)
}

// CostOf returns what a document costs under a banding by which it meets so many candidates that are no copies.
func CostOf(b Banding, met float64) Cost {
	return Cost{
		Slots: float64(slotCost * float64(b.Bands*b.Rows)), Bands: float64(bandCost * float64(b.Bands)),
		Candidates: float64(candidateCost * met), Met: met,
	}
}

// plannedSlots is how many slots PlanByCost takes at most. Among texts that are alike throughout every row would pay,
// and no number of rows would do.
const plannedSlots = 400

// leastRows is the fewest rows that PlanByCost takes, if there is a choice. With one row, every document that shares
// one of its slots is a candidate, and that is nearly every document.
const leastRows = 2

// Bandings returns, for each number of rows from 1 on, the fewest bands by which at least the share recall of the pairs
// exactly at the threshold become candidates, as long as they fit into 400 slots. More rows in more bands make fewer
// candidates of unlike documents, and more keys.
//
// threshold is a Jaccard similarity above 0 and up to 1, and recall is between 0 and 1.
func Bandings(threshold, recall float64) ([]Banding, error) {
	if err := checkPlan(threshold, plannedSlots, recall); err != nil {
		return nil, err
	}
	var all []Banding
	for rows := 1; rows <= plannedSlots; rows++ {
		b, ok := fewest(threshold, rows, recall)
		if !ok {
			break // more rows need more bands yet
		}
		all = append(all, b)
	}
	if all == nil {
		return nil, impossible(threshold, plannedSlots, recall)
	}
	return all, nil
}

// usedSlots are taken in any case where all bandings meet more candidates than are read.
const usedSlots = 128

// PlanByCost chooses the cheapest of the Bandings of two rows and more that meet no more candidates than are read. Where
// all of them meet more, copies are missed that would be read too late. Then it takes the most rows, and all bands that
// fit into 128 slots if that is more. Bandings says what is possible.
func PlanByCost(threshold, recall float64, l Load) (Banding, error) {
	all, err := Bandings(threshold, recall)
	if err != nil {
		return Banding{}, err
	}
	if len(all) >= leastRows {
		all = all[leastRows-1:]
	}
	best, ok := l.Cheapest(all)
	if !ok {
		best = all[len(all)-1]
		best.Bands = max(best.Bands, usedSlots/best.Rows)
	}
	return best, nil
}

// Cheapest returns the banding that costs least, of those that meet no more candidates than are read. Of equal ones it
// returns the first. ok is false if all meet more.
func (l Load) Cheapest(all []Banding) (best Banding, ok bool) {
	for _, b := range all {
		c := l.Cost(b)
		if c.Met <= float64(l.Read) && (!ok || c.Sum() < l.Cost(best).Sum()) {
			best, ok = b, true
		}
	}
	return best, ok
}

// fewest returns the fewest bands of so many rows that keep recall; ok is false if they do not fit.
func fewest(threshold float64, rows int, recall float64) (b Banding, ok bool) {
	miss, missed := 1-power(threshold, rows), 1.0
	for bands := 1; bands*rows <= plannedSlots; bands++ {
		if missed = float64(missed * miss); 1-missed >= recall {
			return Banding{Bands: bands, Rows: rows}, true
		}
	}
	return Banding{}, false
}

// PlanByArea chooses a banding as datasketch does (MinHashLSH, its function _optimal_param), so that settings found
// with it can be carried over. It minimises the sum of two areas: the area below the S-curve left of the
// threshold (false candidates), and the area above it to the right (missed ones). That promises nothing about recall:
// at 0.8 and 128 slots it chooses 9 bands of 13 rows, which find 0.40 of the pairs at the threshold.
//
// Both areas have the same weight, as by datasketch's default.
func PlanByArea(threshold float64, slots int) (Banding, error) {
	if err := cmp.Or(checkThreshold(threshold), checkSlots(slots)); err != nil {
		return Banding{}, err
	}
	var best Banding
	least := math.Inf(1)
	for rows := 1; rows <= slots; rows++ {
		curve := areas{threshold: threshold, rows: rows, left: threshold, all: 1, unlike: 1}
		for bands := 1; bands*rows <= slots; bands++ {
			curve.addBand()
			if sum := curve.falseArea() + curve.missedArea(); sum < least {
				best, least = Banding{Bands: bands, Rows: rows}, sum
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

// This file derives from a Levenshtein similarity s = 1 - edits / length how many runs of size characters two texts
// share. Each run counts as often as it occurs, as each character does for Levenshtein. Texts are assumed to be much
// longer than a run.
//
//	edits fall by chance   a run survives if none of its characters is edited: a share s^size of the runs    Jaccard s^size / (2 - s^size)
//	edits are spread out   each edit takes size runs of its own (Ukkonen 1992): 1 - size (1 - s)              Jaccard the same way
//
// The first is about the least that real edits leave, because people's edits are closer together than random ones;
// decision 37 has the figures. The second is the least possible.

// RunSimilarity returns the Jaccard similarity of the runs for edits at random places.
func RunSimilarity(levenshtein float64, size int) float64 { return ofKept(power(levenshtein, size)) }

// LeastRunSimilarity returns the least Jaccard similarity of the runs: 0 if the edits may touch all of them.
func LeastRunSimilarity(levenshtein float64, size int) float64 {
	return ofKept(max(0, 1-float64(float64(size)*(1-levenshtein))))
}

// ofKept returns the Jaccard similarity of two multisets of equal size that share this part of each.
func ofKept(share float64) float64 { return share / (2 - share) }
