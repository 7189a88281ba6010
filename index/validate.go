package index

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// Widths of a band key, in bytes.
const minKeyBytes, maxKeyBytes = 4, 8

// Validate reports every setting that cannot be worked with, and those that contradict each other.
func (p Params) Validate() []setting.Mistake {
	return slices.Concat(
		setting.Under("similarity", p.Similarity.validate()),
		setting.Under("window", p.Window.validate()),
		setting.Under("index", p.Index.validate()),
	)
}

func (p SimilarityParams) validate() []setting.Mistake {
	var wrong []setting.Mistake
	refuse := func(bad bool, key string, value any, problem, remedy string) {
		if bad {
			wrong = append(wrong, setting.Wrong(key, value, problem, remedy))
		}
	}
	choose := func(key, value string, words ...string) {
		refuse(!slices.Contains(words, value), key, value, "is not one of the choices", "write "+setting.OneOf(words))
	}
	threshold, recall := p.Threshold > 0 && p.Threshold <= 1, p.Recall > 0 && p.Recall < 1
	refuse(!threshold, "threshold", p.Threshold, "is not a similarity", "write a number above 0, up to 1, such as 0.8")
	refuse(threshold && !fourDecimals(p.Threshold), "threshold", p.Threshold, "has more than four decimals",
		"round it: similarities are compared to four decimals")
	refuse(!recall, "recall", p.Recall, "is not a share that can be reached", "write a number between 0 and 1, such as 0.98")
	refuse(recall && !fourDecimals(p.Recall), "recall", p.Recall, "has more than four decimals", "round it to four decimals")
	refuse(p.Slots < sketch.MinSlots || p.Slots > sketch.MaxSlots || p.Slots%2 != 0, "slots", p.Slots, "is out of range",
		fmt.Sprintf("write an even number from %d to %d, such as 128", sketch.MinSlots, sketch.MaxSlots))
	refuse(!slices.Contains([]int{4, 8, 16}, p.CodeBits), "code_bits", p.CodeBits, "is not one of the choices", "write 4, 8 or 16")
	refuse(p.KeyBytes < minKeyBytes || p.KeyBytes > maxKeyBytes, "key_bytes", p.KeyBytes, "is out of range", "write 4 to 8")
	refuse(p.MaxCandidates < 1, "max_candidates", p.MaxCandidates, "finds nothing", "write 1 or more, such as 64")
	choose("sketch", p.Sketch, "minhash")
	choose("verify", p.Verify, "jaccard", "estimate")
	return append(wrong, p.validateShapes(len(wrong) == 0)...)
}

func (p WindowParams) validate() []setting.Mistake {
	var wrong []setting.Mistake
	refuse := func(bad bool, key string, value any, problem, remedy string) {
		if bad {
			wrong = append(wrong, setting.Wrong(key, value, problem, remedy))
		}
	}
	refuse(p.Age < 0, "age", p.Age, "is negative", "write a duration such as 24h, or 0 for no bound by age")
	refuse(p.Count < 0, "count", p.Count, "is negative", "write a number of documents, or 0 for no bound by count")
	refuse(p.Bytes < 0, "bytes", p.Bytes, "is negative", "write a size such as 1GiB, or 0 for no bound by bytes")
	refuse(p.Age == 0 && p.Count == 0 && p.Bytes == 0, "age", "", "the window has no bound: age, count and bytes are all 0",
		"set at least one of window.age, window.count and window.bytes")
	refuse(!slices.Contains([]string{"arrival", "event"}, p.Clock), "clock", p.Clock, "is not one of the choices",
		"write arrival or event")
	refuse(p.Tolerance < 0, "tolerance", p.Tolerance, "is negative", "write a duration such as 5m")
	refuse(p.Refresh != refreshFirst && p.Refresh != refreshLast, "refresh", p.Refresh, "is not one of the choices", "write first or last")
	refuse(p.ReemitEvery < 0, "reemit_every", p.ReemitEvery, "is negative", "write a duration such as 6h, or 0 to let no copy through")
	refuse(p.ReemitEvery > 0 && p.ReemitEvery < time.Millisecond, "reemit_every", p.ReemitEvery, "is less than a millisecond",
		"write a duration such as 6h: stream time is counted in milliseconds")
	refuse(p.Age > 0 && p.ReemitEvery >= p.Age && p.Refresh == refreshFirst, "reemit_every", p.ReemitEvery,
		"lets no copy through: a representative is forgotten after window.age, "+setting.FormatDuration(p.Age),
		"write less than window.age, or set window.refresh to last")
	return wrong
}

// maxName bounds the name of an index: it stands in a header of every record.
const maxName = 64

func (p KeepParams) validate() []setting.Mistake {
	var wrong []setting.Mistake
	remedy := "write up to " + strconv.Itoa(maxName) + " letters, digits, '.', '_' or '-'"
	switch {
	case p.Name == "":
		wrong = append(wrong, setting.Mistake{Key: "name", Problem: "is missing", Remedy: remedy})
	case len(p.Name) > maxName || strings.ContainsFunc(p.Name, func(r rune) bool { return !nameRune(r) }) || strings.Trim(p.Name, ".") == "":
		wrong = append(wrong, setting.Wrong("name", p.Name, "cannot be the name of an index", remedy))
	}
	if p.Keep != keepRepresentatives && p.Keep != keepAll {
		wrong = append(wrong, setting.Wrong("keep", p.Keep, "is not one of the choices", "write representatives or all"))
	}
	return wrong
}

func nameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-'
}

// fourDecimals says whether x is a multiple of 0.0001 as nearly as a float64 can tell.
func fourDecimals(x float64) bool {
	scaled := x * 1e4
	return math.Abs(scaled-math.Round(scaled)) < 1e-6
}

// validateShapes checks what only the parsers of shingles and bands know. A plan is asked for only where the numbers in it
// are in range.
func (p SimilarityParams) validateShapes(inRange bool) []setting.Mistake {
	var wrong []setting.Mistake
	if _, err := text.ParseShingling(p.Shingle); err != nil {
		wrong = append(wrong, setting.Wrong("shingle", p.Shingle, "is no shingle",
			fmt.Sprintf("write word:N with N from 1 to %d, or char:K with K from 1 to %d", text.MaxWords, text.MaxChars)))
	}
	if !inRange {
		return wrong
	}
	if _, err := sketch.Plan(p.Threshold, p.Slots, p.Recall); err != nil {
		wrong = append(wrong, setting.Wrong("slots", p.Slots, bare(err), "raise slots or threshold, or lower recall"))
	}
	return wrong
}

// bare drops what the room put before an error: the mistake names the setting already.
func bare(err error) string {
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	return err.Error()
}
