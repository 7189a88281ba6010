package sketch

import (
	"fmt"
	"strings"
)

const (
	curveSteps = 20 // number of steps of similarity, 0.05 each
	barWidth   = 40
)

// Curve returns the S-curve as text: for each similarity the share of pairs that become candidates, with a bar.
//
//	similarity  found
//	      0.50  0.1317  #####
func (b Banding) Curve() string {
	var out strings.Builder
	out.WriteString("similarity  found\n")
	for step := 1; step <= curveSteps; step++ {
		similarity := float64(step) / curveSteps
		found := b.Probability(similarity)
		line := fmt.Sprintf("      %.2f  %.4f  %s", similarity, found, strings.Repeat("#", int(found*barWidth+0.5)))
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.String()
}
