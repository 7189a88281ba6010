package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/unecho/unecho/index"
)

// try is a setting that might change the verdict.
type try struct {
	name  string
	value any
	with  index.Params
}

// flip finds the nearest setting that changes the verdict. It tries the threshold that the similarity just reaches, or
// just misses, with the bands planned for it; then ever lower thresholds; for sketches by distance the distance; then
// shorter or longer shingles.
func (x *Explanation) flip(p index.Params, unique bool) (string, error) {
	if !x.SameScope {
		return x.unscoped(p)
	}
	if x.A.Shingles == 0 || x.B.Shingles == 0 || x.A.Normalized == x.B.Normalized {
		return "", nil
	}
	for _, t := range slices.Concat(x.thresholds(p, unique), x.distances(p, unique), shingles(p, unique)) {
		if len(t.with.Validate()) > 0 {
			continue
		}
		otherwise, err := decides(t.with, x.A.input, x.B.input, !unique)
		if err != nil {
			return "", err
		}
		if otherwise {
			return fmt.Sprintf("%s: %v", t.name, t.value), nil
		}
	}
	return "", nil
}

// unscoped tries to compare documents of all scopes, if only the scopes separate these two.
func (x *Explanation) unscoped(p index.Params) (string, error) {
	duplicate, err := decides(p, Input{Text: x.A.input.Text}, Input{Text: x.B.input.Text}, false)
	if err != nil || !duplicate {
		return "", err
	}
	return `sources.scope: ""`, nil
}

// decides says whether the index decides that way under other settings.
func decides(p index.Params, first, second Input, unique bool) (bool, error) {
	r, err := newReader(p)
	if err != nil {
		return false, err
	}
	var a, b Document
	if err := r.read(&a, first); err != nil {
		return false, err
	}
	if err := r.read(&b, second); err != nil {
		return false, err
	}
	both, err := alone(p, a.entry, b.entry)
	return both[1].Unique() == unique, err
}

// grain is the step of thresholds: they have four decimals.
const grain = 10000

func (x *Explanation) thresholds(p index.Params, unique bool) []try {
	if byBits(p) {
		return nil // it decides nothing
	}
	measured := x.measured(p).tenThousandths()
	if !unique {
		return []try{withThreshold(p, measured+1)}
	}
	var tries []try
	for t := min(measured, int(math.Round(p.Duplicates.Threshold*grain))); t > 0; t -= grain / 20 {
		tries = append(tries, withThreshold(p, t))
	}
	return tries
}

func withThreshold(p index.Params, t int) try {
	p.Duplicates.Threshold = float64(t) / grain
	return try{"duplicates.threshold", p.Duplicates.Threshold, p}
}

// distances tries those that the sketches just reach, or just miss. Validation refuses distances that blocks cannot
// find.
func (x *Explanation) distances(p index.Params, unique bool) []try {
	to := x.Sketch.Hamming
	if !unique {
		to--
	}
	if x.Sketch.Bits == 0 || to < 0 {
		return nil // there is no distance, or none less
	}
	p.Duplicates.Distance = to
	return []try{{"duplicates.distance", to, p}}
}

func shingles(p index.Params, unique bool) []try {
	unit, number, _ := strings.Cut(p.Duplicates.Shingle, ":")
	var size int
	if _, err := fmt.Sscan(number, &size); err != nil {
		return nil // no size to change
	}
	by := 1 // longer shingles set documents apart
	if unique {
		by = -1
	}
	var tries []try
	for range 3 {
		size += by
		p.Duplicates.Shingle = fmt.Sprintf("%s:%d", unit, size)
		tries = append(tries, try{"duplicates.shingle", p.Duplicates.Shingle, p})
	}
	return tries
}
