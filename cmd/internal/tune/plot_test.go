package tune

import "testing"

func TestNumbersOnAxes(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 0.2: "0.2", 1: "1", 4.78: "4.78", 123.456: "123.5", 5813: "5813",
		15000: "15k", 2.5e6: "2500k",
	} {
		if got := short(x); got != want {
			t.Errorf("%v is written %q, want %q", x, got, want)
		}
	}
	for x, want := range map[float64]float64{0: 1, 0.7: 0.75, 1: 1, 1.2: 1.5, 9681: 10000, 5.98: 7.5} {
		if got := round(x); got != want {
			t.Errorf("%v is rounded to %v, want %v", x, got, want)
		}
	}
}
