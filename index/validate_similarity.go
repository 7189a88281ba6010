package index

import (
	"fmt"
	"math"
	"slices"

	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

func (p *Params) validateSimilarity() []setting.Mistake {
	if wrong := p.Duplicates.validate(); len(wrong) > 0 {
		return wrong // the checks below need valid numbers
	}
	if wrong := slices.Concat(p.Duplicates.validateEvidence(), p.validateLevenshtein()); len(wrong) > 0 {
		return wrong
	}
	planned, err := p.Planned()
	if err != nil {
		return []setting.Mistake{setting.Wrong("threshold", p.Duplicates.Threshold, err.Error(),
			"raise it, or lower recall")}
	}
	return planned.Duplicates.validateSketch()
}

// validate checks each value by itself.
func (p DuplicatesParams) validate() []setting.Mistake {
	wrong := setting.Misspelt(p)
	refuse := func(bad bool, key string, value any, problem, remedy string) {
		if bad {
			wrong = append(wrong, setting.Wrong(key, value, problem, remedy))
		}
	}
	threshold, recall := p.Threshold > 0 && p.Threshold <= 1, p.Recall > 0 && p.Recall < 1
	refuse(!threshold, "threshold", p.Threshold, "is not a similarity", "write a number above 0, up to 1, such as 0.8")
	refuse(threshold && !fourDecimals(p.Threshold), "threshold", p.Threshold, "has more than four decimals",
		"round it: similarities are compared to four decimals")
	refuse(!recall, "recall", p.Recall, "is not a share that can be reached",
		"write a number between 0 and 1, such as 0.98")
	refuse(recall && !fourDecimals(p.Recall), "recall", p.Recall, "has more than four decimals",
		"round it to four decimals")
	refuse(p.Slots != 0 && (p.Slots < sketch.MinSlots || p.Slots > sketch.MaxSlots || p.Slots%2 != 0), "slots", p.Slots,
		"is out of range", fmt.Sprintf("write an even number from %d to %d, such as 128, or 0 for as many as are needed",
			sketch.MinSlots, sketch.MaxSlots))
	refuse(p.MaxCandidates < 1, "max_candidates", p.MaxCandidates, "finds nothing", "write 1 or more, such as 8")
	refuse(p.MaxReferences < 1, "max_references", p.MaxReferences, "finds nothing", "write 1 or more, such as 1024")
	refuse(p.MaxWork < 1, "max_work", p.MaxWork, "compares nothing", "write 1 or more, such as 2000000")
	_, err := text.ParseShingling(p.Shingle)
	refuse(err != nil, "shingle", p.Shingle, "is no shingle",
		fmt.Sprintf("write word:N or auto:N with N from 1 to %d, or char:K with K from 1 to %d", text.MaxWords,
			text.MaxChars))
	return wrong
}

// validateEvidence refuses evidence that verify has no use for.
func (p DuplicatesParams) validateEvidence() []setting.Mistake {
	if p.Verify == verifyEstimate && p.Evidence != evidenceAuto {
		return []setting.Mistake{setting.Wrong("evidence", p.Evidence,
			"has no effect with verify: estimate, which keeps the sketch",
			"write auto, or verify: jaccard")}
	}
	if p.Verify == verifyLevenshtein && (p.Ignore != "" || p.Ignored.Len() > 0) {
		return []setting.Mistake{setting.Wrong("ignore", p.Ignore,
			"does not go with verify: levenshtein, which compares texts rune by rune and so has no shingles to leave out",
			"leave it out, or write verify: jaccard")}
	}
	if p.Verify == verifyLevenshtein && p.Evidence == evidenceShingles {
		return []setting.Mistake{setting.Wrong("evidence", p.Evidence,
			"has no effect with verify: levenshtein, which keeps the text",
			"write auto or text, or verify: jaccard")}
	}
	return nil
}

// validateSketch checks what only the sketch can check: which bands are possible.
func (p DuplicatesParams) validateSketch() []setting.Mistake {
	scheme, params, err := p.Scheme()
	if err != nil {
		return []setting.Mistake{setting.Wrong("method", p.Method, err.Error(), "write "+setting.OneOf(sketch.Names()))}
	}
	if w := scheme.Check(params); w != nil {
		return []setting.Mistake{setting.Wrong(w.Key, w.Value, w.Problem, w.Remedy)}
	}
	return nil
}

// fourDecimals says whether x is a multiple of 0.0001 as nearly as a float64 can tell.
func fourDecimals(x float64) bool {
	scaled := x * compare.Scale
	return math.Abs(scaled-math.Round(scaled)) < 1e-6
}
