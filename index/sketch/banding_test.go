package sketch

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

func TestPlan(t *testing.T) {
	for _, c := range []struct {
		threshold float64
		slots     int
		recall    float64
		want      Banding
	}{
		{0.8, 128, 0.98, Banding{18, 7}},
		{0.8, 128, 0.9, Banding{16, 8}},
		{0.5, 128, 0.98, Banding{42, 3}},
		{0.9, 128, 0.98, Banding{11, 11}},
		{0.8, 256, 0.98, Banding{28, 9}},
		{0.7, 64, 0.95, Banding{16, 4}},
		{1, 128, 0.98, Banding{1, 128}},
		{0.1, 128, 0.98, Banding{128, 1}},
	} {
		got, err := Plan(c.threshold, c.slots, c.recall)
		if err != nil || got != c.want {
			t.Errorf("%v, %d slots, recall %v: got %v, %v, want %v", c.threshold, c.slots, c.recall, got, err, c.want)
		}
	}
}

func TestPlanKeepsItsPromise(t *testing.T) {
	for slots := MinSlots; slots <= 256; slots += 6 {
		for threshold := 0.3; threshold <= 1; threshold += 0.07 {
			for _, recall := range []float64{0.5, 0.9, 0.98, 0.999} {
				plan, err := Plan(threshold, slots, recall)
				if err != nil {
					continue
				}
				if plan.Bands*plan.Rows > slots || plan.Probability(threshold) < recall {
					t.Fatalf("%v, %d slots, recall %v: %v", threshold, slots, recall, plan)
				}
				for rows := 1; rows < plan.Rows; rows++ { // fewer rows would mean more candidates below the threshold
					if other := (Banding{slots / rows, rows}); falseAreaOf(other, threshold) < falseAreaOf(plan, threshold) {
						t.Fatalf("%v, %d slots, recall %v: %v, though %v would find less", threshold, slots, recall, plan, other)
					}
				}
				if more := plan.Rows + 1; more <= slots && (Banding{slots / more, more}).Probability(threshold) >= recall {
					t.Fatalf("%v, %d slots, recall %v: %v, though %d rows would do", threshold, slots, recall, plan, more)
				}
			}
		}
	}
}

func falseAreaOf(b Banding, threshold float64) float64 {
	curve := areas{threshold: threshold, rows: b.Rows, left: threshold, all: 1, unlike: 1}
	for range b.Bands {
		curve.addBand()
	}
	return curve.falseArea()
}

// What an error calls possible is possible, and anything less is not.
func TestPossiblePlans(t *testing.T) {
	named := regexp.MustCompile(`threshold of at least ([0-9.]+)(?:, or at least (-?\d+) slots)?$`)
	errs := 0
	for slots := MinSlots; slots <= MaxSlots; slots += 112 {
		for _, threshold := range []float64{1e-300, 1e-17, 1e-5, 0.001, 0.0034, 0.01, 0.03, 0.1, 0.2} {
			for _, recall := range []float64{1e-17, 0.1, 0.5, 0.9, 0.98, 0.9999, 0.999999999} {
				_, err := Plan(threshold, slots, recall)
				if err == nil {
					continue
				}
				errs++
				match := named.FindStringSubmatch(err.Error())
				lowest, _ := strconv.ParseFloat(match[1], 64)
				if _, err := Plan(lowest, slots, recall); err != nil {
					t.Errorf("%v, %d slots, recall %v: named %v, but %v", threshold, slots, recall, lowest, err)
				}
				if match[2] == "" {
					continue
				}
				need, _ := strconv.Atoi(match[2])
				_, enough := Plan(threshold, need, recall)
				_, fewer := Plan(threshold, need-2, recall)
				if enough != nil || fewer == nil {
					t.Errorf("%v, %d slots, recall %v: named %d slots: %v; fewer: %v", threshold, slots, recall, need, enough, fewer)
				}
			}
		}
	}
	if errs < 100 {
		t.Errorf("only %d errors", errs)
	}
}

func TestProbability(t *testing.T) {
	b := Banding{Bands: 18, Rows: 7}
	for _, j := range []float64{0, 0.3, 0.5, 0.8, 0.95, 1} {
		if got, want := b.Probability(j), 1-math.Pow(1-math.Pow(j, 7), 18); math.Abs(got-want) > 1e-12 {
			t.Errorf("at %v: got %v, want %v", j, got, want)
		}
	}
	if got := b.String(); got != "18 bands of 7 rows" {
		t.Errorf("String is %q; want 18 bands of 7 rows", got)
	}
}

// Pairs become candidates as often as the S-curve says. For short texts the slots are drawn almost without repetition,
// so the curve is a little steeper: more of the similar pairs are found, and fewer of the others.
func TestBandsCollideAsPlanned(t *testing.T)     { tryBands(t, 200) }
func TestBandsCollideAsPlannedLong(t *testing.T) { tryBands(t, *trials) }

func tryBands(t *testing.T, trials int) {
	const slots, seed = 128, 20261121
	random := rand.New(rand.NewPCG(seed, 2))
	m := minhash(t, slots)
	plan := Banding{Bands: 18, Rows: 7}
	for _, union := range []int{20, 100, 400, 2000} {
		for _, share := range []float64{0.5, 0.7, 0.8, 0.9} {
			shared := int(math.Round(share * float64(union)))
			found := 0
			for range trials {
				a, b := twoSets(random, union, shared)
				if candidates(plan.AppendKeys(nil, signed(m, a), 0, 8), plan.AppendKeys(nil, signed(m, b), 0, 8), 8) {
					found++
				}
			}
			want := plan.Probability(float64(shared) / float64(union))
			got := float64(found) / float64(trials)
			margin := 4 * math.Sqrt(want*(1-want)/float64(trials))
			t.Logf("union %4d, similarity %.3f: %.4f found, the curve says %.4f", union, share, got, want)
			if got < want-margin || got > want+margin+0.03 {
				t.Errorf("union %d, similarity %.3f: %.4f found, the curve says %.4f", union, share, got, want)
			}
		}
	}
}

func candidates(a, b []byte, width int) bool {
	for i := 0; i < len(a); i += width {
		if bytes.Equal(a[i:i+width], b[i:i+width]) {
			return true
		}
	}
	return false
}

func TestKeys(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 1))
	plan := Banding{Bands: 18, Rows: 7}
	values := randomSet(random, 128)
	full := plan.AppendKeys(nil, values, 5, 8)
	for width := 4; width <= 8; width++ {
		keys := plan.AppendKeys([]byte("x"), values, 5, width)
		if len(keys) != 1+18*width || keys[0] != 'x' {
			t.Fatalf("width %d: %d bytes", width, len(keys))
		}
		for band := range 18 {
			if !bytes.Equal(keys[1+band*width:][:width], full[band*8:][:width]) {
				t.Errorf("width %d, band %d: not the low bytes", width, band)
			}
		}
	}
}

// A key depends on each row, the scope and the band, and on nothing else.
func TestWhatKeysDependOn(t *testing.T) {
	random := rand.New(rand.NewPCG(10, 1))
	plan := Banding{Bands: 18, Rows: 7}
	values := randomSet(random, 128)
	keys := func() []uint64 {
		var out []uint64
		for raw := plan.AppendKeys(nil, values, 5, 8); len(raw) > 0; raw = raw[8:] {
			out = append(out, binary.LittleEndian.Uint64(raw))
		}
		return out
	}
	want := keys()
	for slot := range values {
		values[slot]++
		for band, key := range keys() {
			if changed := key != want[band]; changed != (slot/7 == band) {
				t.Errorf("slot %d, band %d: changed is %t", slot, band, changed)
			}
		}
		values[slot]--
	}
	if other := plan.AppendKeys(nil, values, 6, 8); slices.ContainsFunc(want, func(key uint64) bool {
		return bytes.Contains(other, binary.LittleEndian.AppendUint64(nil, key))
	}) {
		t.Error("two scopes share a key")
	}
	for i := range values {
		values[i] = 1
	}
	same := keys()
	slices.Sort(same)
	if len(slices.Compact(same)) != 18 {
		t.Error("two bands of equal rows share a key")
	}
}
