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
		setting.Under("duplicates", p.validateSimilarity()),
		setting.Under("normalize", p.Normalize.Validate()),
		setting.Under("duplicates.remember", p.Duplicates.Remember.validate()),
		p.validateTogether(),
	)
}

// validateTogether reports values that are valid in their section but make no sense together.
func (p Params) validateTogether() []setting.Mistake {
	if p.Normalize.Space == "drop" && !strings.HasPrefix(p.Duplicates.Shingle, "char:") {
		return []setting.Mistake{setting.Wrong("normalize.space", p.Normalize.Space, "leaves no words for duplicates.shingle: "+
			p.Duplicates.Shingle,
			"write collapse, or compare characters: duplicates.shingle: char:5")}
	}
	return nil
}

// WrongFiles says what is wrong with a directory, that key names, for the old documents of a window.
func (p RememberParams) WrongFiles(key, directory string) []setting.Mistake {
	if directory == "" || p.Refresh != refreshLast {
		return nil
	}
	return []setting.Mistake{setting.Wrong(key, directory,
		"has forgetting and erasing read all files of the window, while judging waits, with duplicates.remember.refresh: last",
		"leave it out, or write refresh: first")}
}

func (p RememberParams) validate() (wrong []setting.Mistake) {
	refuse := func(bad bool, key string, value any, problem, remedy string) {
		if bad {
			wrong = append(wrong, setting.Wrong(key, value, problem, remedy))
		}
	}
	refuse(p.Age < 0, "age", p.Age, "is negative", "write a duration such as 24h, or 0 for no bound by age")
	refuse(p.Age > 0 && p.Age < time.Millisecond, "age", p.Age, "is less than a millisecond",
		"write a duration such as 24h, or 0 for no bound by age: stream time is counted in milliseconds")
	refuse(p.Documents < 0, "documents", p.Documents, "is negative", "write a number of documents, or 0 for no bound by number")
	refuse(p.Memory < 0, "memory", p.Memory, "is negative", "write a size such as 1GiB, or 0 for no bound by memory")
	refuse(p.Age == 0 && p.Documents == 0 && p.Memory == 0, "age", "",
		"the window has no bound: age, documents and memory are all 0",
		"set at least one of duplicates.remember.age, duplicates.remember.documents and duplicates.remember.memory")
	refuse(p.Keys < 0, "keys", p.Keys, "is negative", "write a duration such as 1h, or 0s to read no keys")
	refuse(p.Keys > 0 && p.Keys < time.Second, "keys", p.Keys, "is less than a second",
		"write a duration such as 1h: who repeats a request needs some time for it")
	refuse(p.ReemitEvery < 0, "reemit_every", p.ReemitEvery, "is negative",
		"write a duration such as 6h, or 0 to let no copy through")
	refuse(p.ReemitEvery > 0 && p.ReemitEvery < time.Millisecond, "reemit_every", p.ReemitEvery,
		"is less than a millisecond",
		"write a duration such as 6h: stream time is counted in milliseconds")
	wrong = append(wrong, p.WrongFiles("directory", p.Directory)...)
	refuse(p.Age > 0 && p.ReemitEvery >= p.Age && p.Refresh == refreshFirst, "reemit_every", p.ReemitEvery,
		"lets no copy through: a representative is forgotten after duplicates.remember.age, "+setting.FormatDuration(p.Age),
		"write less than duplicates.remember.age, or set duplicates.remember.refresh to last")
	return wrong
}
