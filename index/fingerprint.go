package index

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/unecho/unecho/index/setting"
)

// A journal is begun with a canonical settings text. Texts of different versions of unecho may mean the same. What a
// text means is its fixed text. Bounds are no part of it, because they can be changed (bounds.go):
//
//	what an earlier version wrote                      what it means
//	{..., "similarity.hash":"xxhash",                  {...,
//	 "similarity.plan":"recall",                        nothing: these have the values at which they are left out
//	 "version":"2 text/3 unicode/15.0.0 ...",            "version":"2 text/3 ...", ...}
//	 "window.age":"24h", ...}                           nothing: a bound

// Hash is the hash of a text, as it is.
func Hash(text []byte) uint64 { return xxhash.Sum64(text) }

// Fingerprint is the hash of what a canonical settings text means. Members work together if theirs are equal.
func Fingerprint(settings []byte) uint64 { return Hash(Fixed(settings)) }

// Recorded is the fingerprint in the headers of the records of a journal that was begun with a settings text. It is
// the text's fingerprint, except for a text that an early version wrote: that version's members wrote the hash of the
// text into their records, and may still be at work.
func Recorded(settings []byte) uint64 {
	if values, ok := decoded(settings); ok && early(values) {
		return Hash(settings)
	}
	return Fingerprint(settings)
}

// Same says whether two settings texts mean the same. What one of them leaves open is as in the other.
func Same(a, b []byte) bool {
	return bytes.Equal(a, b) || Fingerprint(closed(a, b)) == Fingerprint(closed(b, a))
}

// Diff returns a line for each setting in which two texts do not mean the same; see setting.Diff.
func Diff(here, journal []byte) []string {
	return setting.Diff(Fixed(closed(here, journal)), Fixed(closed(journal, here)))
}

// DiffAll is Diff with the bounds.
func DiffAll(here, journal []byte) []string {
	here, journal = closed(here, journal), closed(journal, here)
	return setting.Diff(meaning(here, func(setting.Field) bool { return true }),
		meaning(journal, func(setting.Field) bool { return true }))
}

// Fixed returns what a settings text means, bounds aside, as a canonical text. A text that is none is returned as it
// is.
func Fixed(settings []byte) []byte {
	return meaning(settings, func(f setting.Field) bool { return !f.Bound })
}

// meaning returns what a settings text means, of the settings that keep selects.
func meaning(settings []byte, keep func(setting.Field) bool) []byte {
	values, ok := decoded(settings)
	if !ok {
		return settings
	}
	for _, f := range setting.Fields(Params{}) {
		raw, is := values[f.Key]
		if is && (!keep(f) || f.Omits && string(raw) == `"`+f.Omit+`"`) {
			delete(values, f.Key)
		}
	}
	if early(values) {
		values[versionKey] = withoutTables(values[versionKey])
	}
	return setting.Encode(values)
}

const versionKey = "version"

// decoded returns the values of a settings text; ok is false for a text that is no JSON object.
func decoded(settings []byte) (values map[string]json.RawMessage, ok bool) {
	err := json.Unmarshal(settings, &values)
	return values, err == nil && values != nil
}

// unicodeTables begins the word by which early versions named their Unicode tables.
const unicodeTables = "unicode/"

// early says whether a text is of a version that counted the Unicode tables among the settings.
func early(values map[string]json.RawMessage) bool {
	return slices.ContainsFunc(words(values[versionKey]), isTables)
}

func isTables(word string) bool { return strings.HasPrefix(word, unicodeTables) }

func words(version json.RawMessage) []string {
	return strings.Fields(strings.Trim(string(version), `"`))
}

func withoutTables(version json.RawMessage) json.RawMessage {
	return json.RawMessage(`"` + strings.Join(slices.DeleteFunc(words(version), isTables), " ") + `"`)
}
