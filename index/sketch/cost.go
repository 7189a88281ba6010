package sketch

import "fmt"

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
		return nil, fmt.Errorf("plan bands: %w", err)
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
		return nil, fmt.Errorf("plan bands: %w", impossible(threshold, plannedSlots, recall))
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
