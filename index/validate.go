package index

import (
	"slices"
	"strings"
	"time"

	"github.com/unecho/unecho/index/setting"
)

// Validate reports every setting with an impossible value, and every combination that contradicts itself.
func (p Params) Validate() []setting.Mistake {
	return slices.Concat(
		setting.Under("similarity", p.validateSimilarity()),
		setting.Under("text", p.Text.Validate()),
		setting.Under("window", p.Window.validate()),
		setting.Under("index", setting.Misspelt(p.Index)),
		p.validateTogether(),
	)
}

// validateTogether reports values that are valid in their section but make no sense together.
func (p Params) validateTogether() []setting.Mistake {
	if p.Text.Space == "drop" && !strings.HasPrefix(p.Similarity.Shingle, "char:") {
		return []setting.Mistake{setting.Wrong("text.space", p.Text.Space, "leaves no words for similarity.shingle: "+
			p.Similarity.Shingle,
			"write collapse, or compare characters: similarity.shingle: char:5")}
	}
	return nil
}

func (p WindowParams) validate() []setting.Mistake {
	wrong := setting.Misspelt(p)
	refuse := func(bad bool, key string, value any, problem, remedy string) {
		if bad {
			wrong = append(wrong, setting.Wrong(key, value, problem, remedy))
		}
	}
	refuse(p.Age < 0, "age", p.Age, "is negative", "write a duration such as 24h, or 0 for no bound by age")
	refuse(p.Age > 0 && p.Age < time.Millisecond, "age", p.Age, "is less than a millisecond",
		"write a duration such as 24h, or 0 for no bound by age: stream time is counted in milliseconds")
	refuse(p.Count < 0, "count", p.Count, "is negative", "write a number of documents, or 0 for no bound by count")
	refuse(p.Bytes < 0, "bytes", p.Bytes, "is negative", "write a size such as 1GiB, or 0 for no bound by bytes")
	refuse(p.Age == 0 && p.Count == 0 && p.Bytes == 0, "age", "",
		"the window has no bound: age, count and bytes are all 0",
		"set at least one of window.age, window.count and window.bytes")
	refuse(p.Requests < 0, "requests", p.Requests, "is negative", "write a duration such as 1h, or 0s to read no keys")
	refuse(p.Requests > 0 && p.Requests < time.Second, "requests", p.Requests, "is less than a second",
		"write a duration such as 1h: who repeats a request needs some time for it")
	refuse(p.ReemitEvery < 0, "reemit_every", p.ReemitEvery, "is negative",
		"write a duration such as 6h, or 0 to let no copy through")
	refuse(p.ReemitEvery > 0 && p.ReemitEvery < time.Millisecond, "reemit_every", p.ReemitEvery,
		"is less than a millisecond",
		"write a duration such as 6h: stream time is counted in milliseconds")
	refuse(p.Age > 0 && p.ReemitEvery >= p.Age && p.Refresh == refreshFirst, "reemit_every", p.ReemitEvery,
		"lets no copy through: a representative is forgotten after window.age, "+setting.FormatDuration(p.Age),
		"write less than window.age, or set window.refresh to last")
	return wrong
}
