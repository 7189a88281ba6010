package index

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/unecho/unecho/index/setting"
)

// A journal is begun with a canonical settings text. Texts of different versions of unecho may mean the same: a setting
// that has the value at which it is left out counts as left out. What a text means is its fixed text. Bounds are no part
// of it, because they can be changed (bounds.go).

// SettingsVersion stands for the meaning of the settings that decide verdicts. It rises when the same settings begin to
// decide differently, so that what was decided by another version is not continued.
const SettingsVersion = "2"

// IgnoreKey is the setting below which a settings text has the fingerprint of the list of what is ignored.
const IgnoreKey = "duplicates.ignore"

// Settings returns the canonical text of p, for those who have no other settings that decide verdicts.
func (p Params) Settings() []byte {
	return setting.Canonical(SettingsVersion+" "+p.Version(), map[string]any{"": p, IgnoreKey: p.Duplicates.Ignored})
}

// Hash is the hash of a text, as it is.
func Hash(text []byte) uint64 { return xxhash.Sum64(text) }

// Fingerprint is the hash of what a canonical settings text means. Members work together if theirs are equal.
func Fingerprint(settings []byte) uint64 { return Hash(Fixed(settings)) }

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
	for _, f := range ofTexts {
		raw, is := values[f.Key]
		if is && (!keep(f) || f.Omits && strings.Trim(string(raw), `"`) == f.Omit) {
			delete(values, f.Key)
		}
	}
	return setting.Encode(values)
}

// decoded returns the values of a settings text; ok is false for a text that is no JSON object.
func decoded(settings []byte) (values map[string]json.RawMessage, ok bool) {
	err := json.Unmarshal(settings, &values)
	return values, err == nil && values != nil
}
