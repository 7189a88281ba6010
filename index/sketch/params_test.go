package sketch

import (
	"fmt"
	"math"
	"testing"
)

// refusal is an error and its text; "<nil>" is none.
type refusal struct {
	err  error
	want string
}

func (r refusal) check(t *testing.T) {
	t.Helper()
	if got := fmt.Sprint(r.err); got != r.want {
		t.Errorf("got  %s\nwant %s", got, r.want)
	}
}

func TestImpossibleParams(t *testing.T) {
	minhash := func(slots, bands, rows int) error {
		_, err := NewMinHashSketch(MinHashParams{Slots: slots, Banding: Banding{bands, rows}})
		return err
	}
	simhash := func(bits, distance int) error {
		_, err := NewSimHashSketch(SimHashParams{Bits: bits, Distance: distance})
		return err
	}
	eachPair := func(bits, distance int) error {
		_, err := NewEachPair(bits, distance)
		return err
	}
	for _, c := range []refusal{
		{minhash(128, 128, 1), "<nil>"},
		{simhash(64, 0), "<nil>"},
		{simhash(64, 6), "<nil>"},
		{minhash(127, 18, 7), "make minhash sketch: 127 slots are impossible; possible is an even number from 16 to 1024"},
		{minhash(128, 20, 7), "make minhash sketch: 20 bands of 7 rows need 140 slots, have 128; possible are 18 bands, or 6 rows"},
		{minhash(128, 200, 1), "make minhash sketch: 200 bands of 1 row do not fit into 128 slots; possible is 1 row in 128 bands to 128 rows in 1 band"},
		{minhash(128, 1, 200), "make minhash sketch: 1 band of 200 rows do not fit into 128 slots; possible is 1 row in 128 bands to 128 rows in 1 band"},
		{minhash(128, 0, 7), "make minhash sketch: 0 bands of 7 rows are impossible: both are planned, or both are set, such as 16 bands of 8 rows"},
		{minhash(128, 18, -1), "make minhash sketch: 18 bands of -1 rows are impossible: both are planned, or both are set, such as 16 bands of 8 rows"},
		{simhash(48, 1), "make simhash sketch: a simhash of 48 bits is impossible; possible are 32, 64 and 128"},
		{simhash(64, -1), "make simhash sketch: a distance of -1 of 64 bits is impossible by keys; possible is 0 to 6"},
		{simhash(64, 7), "make simhash sketch: a distance of 7 of 64 bits is impossible by keys; possible is 0 to 6"},
		{simhash(32, 60), "make simhash sketch: a distance of 60 of 32 bits is impossible by keys; possible is 0 to 3"},
		{simhash(128, 10), "make simhash sketch: a distance of 10 of 128 bits is impossible by keys; possible is 0 to 9"},
		{eachPair(48, 3), "a simhash of 48 bits is impossible; possible are 32, 64 and 128"},
		{eachPair(64, -1), "a distance of -1 bits is impossible; with 64 bits possible is 0 to 16"},
		{eachPair(128, 33), "a distance of 33 bits is impossible; with 128 bits possible is 0 to 32"},
	} {
		c.check(t)
	}
}

func TestImpossiblePlans(t *testing.T) {
	plan := func(threshold float64, slots int, recall float64) error {
		_, err := Plan(threshold, slots, recall)
		return err
	}
	byCost := func(threshold, recall float64) error {
		_, err := PlanByCost(threshold, recall, load(1, 0))
		return err
	}
	byArea := func(threshold float64, slots int) error {
		_, err := PlanByArea(threshold, slots)
		return err
	}
	for _, c := range []refusal{
		{plan(0, 128, 0.98), "a threshold of 0 is impossible; possible is above 0 and up to 1"},
		{plan(1.01, 128, 0.98), "a threshold of 1.01 is impossible; possible is above 0 and up to 1"},
		{plan(math.NaN(), 128, 0.98), "a threshold of NaN is impossible; possible is above 0 and up to 1"},
		{plan(0.8, 128, 1), "a recall of 1 is impossible; possible is above 0 and below 1"},
		{plan(0.8, 128, 0), "a recall of 0 is impossible; possible is above 0 and below 1"},
		{plan(0.8, 129, 0.98), "129 slots are impossible; possible is an even number from 16 to 1024"},
		{plan(0.05, 16, 0.98), "with 16 slots at most 0.5598 of the pairs at threshold 0.05 are found, not 0.98; possible is a threshold of at least 0.2170, or at least 78 slots"},
		{plan(0.001, 128, 0.98), "with 128 slots at most 0.1202 of the pairs at threshold 0.001 are found, not 0.98; possible is a threshold of at least 0.0302"},
		{byCost(0, 0.98), "a threshold of 0 is impossible; possible is above 0 and up to 1"},
		{byCost(0.005, 0.98), "with 400 slots at most 0.8653 of the pairs at threshold 0.005 are found, not 0.98; possible is a threshold of at least 0.0098, or at least 782 slots"},
		{byArea(0, 128), "a threshold of 0 is impossible; possible is above 0 and up to 1"},
		{byArea(0.8, 15), "15 slots are impossible; possible is an even number from 16 to 1024"},
	} {
		c.check(t)
	}
}

// What an error calls possible is possible, and nothing else is.
func TestPossibleSimHashes(t *testing.T) {
	for bits, most := range map[int]int{32: 3, 64: 6, 128: 9} {
		for distance := -1; distance < 20; distance++ {
			err := SimHashParams{Bits: bits, Distance: distance}.Validate()
			if possible := distance >= 0 && distance <= most; possible != (err == nil) {
				t.Errorf("a distance of %d of %d bits: %v", distance, bits, err)
			}
		}
	}
}
