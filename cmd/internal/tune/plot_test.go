package tune

import (
	"slices"
	"testing"
)

func TestNumbersOnAxes(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 0.2: "0.2", 1: "1", 4.78: "4.78", 123.456: "123.5", 5813: "5813",
		15000: "15k", 2.5e6: "2500k",
	} {
		if got := short(x); got != want {
			t.Errorf("%v is written %q, want %q", x, got, want)
		}
	}
	for want, of := range map[string][3]float64{
		"0 0.2 0.4 0.6 0.8 1": {0, 1, 0}, "0 1 2 3": {0, 3, 1}, "0 1": {0, 1, 1}, "0 2 4 6 8 10 12": {0, 12, 1},
		"0.9 0.92 0.94 0.96 0.98 1": {0.9, 1, 0}, "0 500 1000 1500 2000": {0, 1919, 1},
	} {
		text := ""
		for _, x := range even(of[0], of[1], of[2]) {
			text += " " + short(x)
		}
		if text != " "+want {
			t.Errorf("%v: %s, want %s", of, text, want)
		}
	}
	if got := decades(1.5, 30); !slices.Equal(got, []float64{2, 5, 10, 20}) {
		t.Errorf("decades(1.5, 30) are %v; want 2, 5, 10 and 20", got)
	}
}
