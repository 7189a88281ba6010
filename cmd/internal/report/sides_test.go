package report

import (
	"fmt"
	"testing"

	"github.com/unecho/unecho/index/text"
)

// TestSides: what does not count is not marked, and each side keeps its own words.
func TestSides(t *testing.T) {
	for _, test := range []struct{ a, b, left, right string }{
		{"The SAME, but louder!", "the same but louder", "[{The SAME, but louder! false false}]", "[{the same but louder false false}]"},
		{
			"A red car, fast", "a blue CAR fast", "[{… false false} {A false false} {red true true} {car, fast false false}]",
			"[{… false false} {a false false} {blue true false} {CAR fast false false}]",
		},
	} {
		left, right := Sides(test.a, test.b, text.DefaultParams())
		if fmt.Sprint(left) != test.left || fmt.Sprint(right) != test.right {
			t.Errorf("Sides(%q, %q) are\n%v\n%v\nwant\n%s\n%s", test.a, test.b, left, right, test.left, test.right)
		}
	}
}
