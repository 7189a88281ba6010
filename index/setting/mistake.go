package setting

import "fmt"

// Mistake is one wrong setting. Key is relative to the Params that reported it ("threshold"); the code that composes
// the rooms puts the section before it ("duplicates.threshold").
type Mistake struct {
	Key     string
	Value   string // as given; empty when the value is missing or secret
	Problem string // what is wrong with it
	Remedy  string // what to write instead
}

// String renders the mistake in one line: key, value, what is wrong, what to do.
func (m Mistake) String() string {
	s := m.Key + ": "
	if m.Value != "" {
		s += m.Value + ": "
	}
	s += m.Problem
	if m.Remedy != "" {
		s += "; " + m.Remedy
	}
	return s
}

// Wrong builds a Mistake, rendering any value.
func Wrong(key string, value any, problem, remedy string) Mistake {
	return Mistake{Key: key, Value: fmt.Sprint(value), Problem: problem, Remedy: remedy}
}

// Under puts a section before the key of each mistake.
func Under(section string, mistakes []Mistake) []Mistake {
	out := make([]Mistake, 0, len(mistakes))
	for _, m := range mistakes {
		m.Key = section + "." + m.Key
		out = append(out, m)
	}
	return out
}
