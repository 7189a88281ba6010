package setting

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Canonical writes the settings tagged verdict:"true" below the given structs as one line of JSON: the dotted keys
// sorted, each below the name of its section (which may be ""), and one more key for version. Fractions, durations and
// sizes are written as strings, so that the bytes never depend on how a library prints a float. Equal settings give
// equal bytes.
//
//	{"duplicates.slots":128,"duplicates.threshold":"0.8","version":"1","duplicates.remember.age":"24h"}
//
// A setting tagged omit is left out at that value. Each setting that is added to those of a released version has such
// a tag, with the value that means what was before it, so that it changes no text that says nothing of it.
//
// The settings of the elements of a list have their places in their keys: sources[0].format. An element of which
// nothing else is written is written as {}, so that the text tells how many there are.
//
// The version stands for the meaning of the settings: it rises when the same settings begin to decide differently.
func Canonical(version string, sections map[string]any) []byte {
	values := map[string]string{"version": quote(version)}
	for section, params := range sections {
		Walk(params, func(f Field) {
			key := Join(section, f.Key)
			switch {
			case f.Element() && f.Decides():
				values[key] = Untold
			case !f.Section() && f.Verdict && (!f.Omits || f.Text() != f.Omit):
				values[key] = f.canonical()
			default:
				return
			}
			for around := Parent(key); around != ""; around = Parent(around) {
				if values[around] == Untold {
					delete(values, around)
				}
			}
		})
	}
	return Encode(values)
}

// Untold stands for an element of which all settings are left out.
const Untold = "{}"

// Encode writes values, which are encoded already, below sorted keys.
func Encode[V ~string | ~[]byte](values map[string]V) []byte {
	var b strings.Builder
	b.WriteByte('{')
	for i, key := range slices.Sorted(maps.Keys(values)) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(key) + ":" + string(values[key]))
	}
	b.WriteByte('}')
	return []byte(b.String())
}

// Diff compares our canonical settings with those of the journal, and returns one line for each that differs. It
// returns nothing if they decide alike.
func Diff(here, journal []byte) []string {
	a, b := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if err := json.Unmarshal(here, &a); err != nil {
		return []string{"the settings here cannot be read: " + err.Error()}
	}
	if err := json.Unmarshal(journal, &b); err != nil {
		return []string{"the settings in the journal cannot be read: " + err.Error()}
	}
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(a)) {
		if theirs, known := b[key]; !known {
			lines = append(lines, fmt.Sprintf("%s: %s here, not set in the journal", plain(key), show(a[key])))
		} else if string(a[key]) != string(theirs) {
			lines = append(lines, fmt.Sprintf("%s: %s here, %s in the journal", plain(key), show(a[key]), show(theirs)))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(b)) {
		if _, known := a[key]; !known {
			lines = append(lines, fmt.Sprintf("%s: not set here, %s in the journal", plain(key), show(b[key])))
		}
	}
	slices.Sort(lines)
	return lines
}

func (f Field) canonical() string {
	switch f.Kind() {
	case Bool, Int:
		return f.Text()
	case List:
		items := f.Items()
		for i := range items {
			items[i] = quote(items[i])
		}
		return "[" + strings.Join(items, ",") + "]"
	case Map:
		pairs := f.Pairs()
		for name, text := range pairs {
			pairs[name] = quote(text)
		}
		return string(Encode(pairs))
	case String, Float, Duration, Size, Unknown:
	}
	return quote(f.Text())
}

// quote writes a JSON string and escapes only what JSON requires, independent of any JSON library.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s { // bytes that are not UTF-8 become U+FFFD, as in every JSON text
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// show writes a JSON value for a person. It comes from the journal, so it may contain anything.
func show(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return plain(string(raw))
	}
	if s == "" {
		return `""`
	}
	return plain(s)
}

// plain keeps a text that others wrote on one line.
func plain(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}

// SetJSON sets a value that Canonical wrote: a string, a list or a map of strings, or a bare number or word.
func (f Field) SetJSON(raw json.RawMessage) error {
	var problem *Mistake
	var err error
	switch f.Kind() { //nolint:exhaustive // all others are one value
	case List:
		var items []string
		if err = json.Unmarshal(raw, &items); err == nil {
			problem = f.SetItems(items)
		}
	case Map:
		var pairs map[string]string
		if err = json.Unmarshal(raw, &pairs); err == nil {
			problem = f.SetPairs(pairs)
		}
	default:
		text := string(raw)
		_ = json.Unmarshal(raw, &text) // what is no string stays as it is
		problem = f.Set(text)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Key, err)
	}
	if problem != nil {
		return fmt.Errorf("%v", problem)
	}
	return nil
}
