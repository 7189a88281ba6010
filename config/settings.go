package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/unecho/unecho/index/setting"
)

// FromSettings returns the configuration from the text that Settings wrote, as the journal and snapshots carry it.
// Settings that decide no verdict have their defaults. The text may come from a version whose settings have another
// meaning. It is good enough to read what that version stored; before judging by it, compare fingerprints.
func FromSettings(text []byte) (Config, error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(text, &values); err != nil {
		return Config{}, fmt.Errorf("read settings: %w", err)
	}
	c := Default()
	delete(values, "version")
	pins, err := takePins(values)
	if err == nil {
		err = setCanonical(&c, values)
	}
	if err != nil {
		return Config{}, fmt.Errorf("read settings: %w", err)
	}
	c.spread()
	for i := range c.Sources {
		c.Sources[i].Reading.Schema.Fingerprint = pins[pinOf(i)]
	}
	return c, nil
}

// setCanonical sets the settings below params that decide verdicts from the values that setting.Canonical wrote. A list
// of sections that decides verdicts has the elements that are written.
func setCanonical(params any, values map[string]json.RawMessage) (err error) {
	keys := slices.Sorted(maps.Keys(values))
	setting.Walk(params, func(f setting.Field) {
		raw, given := values[f.Key]
		switch {
		case f.Repeated() && f.Decides():
			f.Resize(written(keys, f.Key))
		case f.Element() && f.Decides() && string(raw) == setting.Untold:
			delete(values, f.Key)
		case given && f.Verdict && err == nil:
			delete(values, f.Key)
			err = f.SetJSON(raw)
		}
	})
	for key := range values {
		return cmp.Or(err, fmt.Errorf("this version does not know %q", key))
	}
	return err
}

// written returns how many elements of a list are written. Each has a key: its own, or that of one of its settings.
func written(sorted []string, list string) int {
	for n := 0; ; n++ {
		element := fmt.Sprintf("%s[%d]", list, n)
		if i, _ := slices.BinarySearch(sorted, element); i == len(sorted) || !strings.HasPrefix(sorted[i], element) {
			return n
		}
	}
}
