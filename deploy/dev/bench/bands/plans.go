package main

import (
	"fmt"
	"strings"
)

// plan is a plan of bands.
type plan struct{ bands, rows, slots int }

func parseGrid(grid string) ([]plan, error) {
	var plans []plan
	for word := range strings.SplitSeq(grid, ",") {
		var p plan
		if _, err := fmt.Sscanf(word, "%dx%d/%d", &p.bands, &p.rows, &p.slots); err != nil {
			return nil, fmt.Errorf("-grid: %q is not BANDSxROWS/SLOTS: %w", word, err)
		}
		plans = append(plans, p)
	}
	return plans, nil
}
