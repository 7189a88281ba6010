package tune

import (
	"fmt"
	"math"
	"strconv"

	"github.com/unecho/unecho/cmd/internal/terminal"
)

// percent writes a share for people, and never rounds one up to what it does not reach.
func percent(share float64) string {
	return strconv.FormatFloat(math.Floor(share*1e4+1e-9)/1e2, 'f', -1, 64) + " %"
}

// reason says in one sentence why a setting is recommended among the rows of its truth, sorted.
func (c criterion) reason(best *Row, rows []*Row) string {
	c = c.over(rows)
	kept, confirmed := 0, 0
	for _, r := range rows {
		if c.keeps(r) {
			kept++
		}
		if c.class(r) == 0 {
			confirmed++
		}
	}
	finds := fmt.Sprintf("at least %s of the pairs at %v by the curve of the bands", percent(c.recall), best.Threshold)
	if c.known {
		finds = fmt.Sprintf("at least %s of the pairs at their threshold by the curve of the bands", percent(c.recall))
	}
	if best.ByDistance() {
		finds = fmt.Sprintf("at least %s of the near copies in the sample", percent(c.recall))
	}
	if kept == 1 {
		return fmt.Sprintf("it is the only setting that finds %s; %s", finds, c.evidence(best))
	}
	if confirmed == 1 {
		alone := "the sample bears out this one alone"
		if c.errs() {
			alone = fmt.Sprintf("it has the best F1 of near copies at a precision of %s or more", percent(c.precision))
		}
		return fmt.Sprintf("%s of the %d settings that each find %s; %s", alone, kept, finds, c.evidence(best))
	}
	return fmt.Sprintf("%s%s of the %s; %s", c.superlative(best), c.kept(best), c.among(kept, confirmed, finds), c.evidence(best))
}

func (c criterion) kept(best *Row) string {
	if !c.known || c.by != ByCost {
		return ""
	}
	return [4]string{
		", with the configured shingle and threshold,", ", with the configured shingle,", ", with the configured threshold,", "",
	}[c.unlike(best)]
}

// among says which settings were weighed.
func (c criterion) among(kept, confirmed int, finds string) string {
	settings := fmt.Sprintf("%d settings that each find %s", kept, finds)
	switch {
	case confirmed == 0 || confirmed == kept:
		return settings
	case c.errs():
		return fmt.Sprintf("%d with nearly the best F1 at a precision of %s or more among %s", confirmed,
			percent(c.precision), settings)
	}
	return fmt.Sprintf("%d that the sample bears out among %s", confirmed, settings)
}

func (c criterion) superlative(best *Row) string {
	switch c.by {
	case ByPrecision:
		return fmt.Sprintf("it has the highest precision (%.4f)", best.Near.Precision)
	case ByRecall:
		return fmt.Sprintf("it has the highest recall (%.4f)", best.Near.Recall)
	case ByF1:
		return fmt.Sprintf("it has the highest F1 (%.4f)", best.Near.F1)
	case ByMemory:
		return fmt.Sprintf("it takes the least memory (%.0f bytes a document)", best.BytesPerDocument)
	case BySpeed:
		return fmt.Sprintf("it was the fastest on the sample (%.3f s)", best.Seconds)
	}
	if c.cheap(best) && best.CostNanoseconds > c.least {
		return "it takes the least memory of what costs about the least"
	}
	return "it costs the least"
}

// evidence says what the sample has to say about a setting: only what is not identical says anything.
func (c criterion) evidence(best *Row) string {
	if c.known {
		return fmt.Sprintf("it finds %s of %s, and takes %s for one", terminal.Grouped(best.TruePositives),
			several(best.True(), "labelled copy", "labelled copies"), terminal.Several(best.FalsePositives, "other document"))
	}
	identical := best.True() - best.Near.True()
	apart := ""
	if identical > 0 {
		apart = fmt.Sprintf(" (%s more%s identical, which every setting finds)", terminal.Grouped(identical), are(identical))
	}
	if best.Near.True() == 0 {
		copies := fmt.Sprintf("all its %s copies are", terminal.Grouped(identical))
		if identical == 1 {
			copies = "its only copy is"
		}
		return fmt.Sprintf("the sample cannot confirm that, as %s identical, which every setting finds", copies)
	}
	return fmt.Sprintf("here it found %s of %s%s", terminal.Grouped(best.Near.TruePositives),
		several(best.Near.True(), "near copy", "near copies"), apart)
}

func several(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return terminal.Grouped(n) + " " + more
}

func are(n int) string {
	if n == 1 {
		return " is"
	}
	return " are"
}
