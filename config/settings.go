package config

import (
	"encoding/json"
	"fmt"

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
	for _, f := range setting.Fields(&c) {
		raw, given := values[f.Key]
		if !given || !f.Verdict {
			continue
		}
		delete(values, f.Key)
		if err := setJSON(f, raw); err != nil {
			return Config{}, fmt.Errorf("read settings: %w", err)
		}
	}
	for key := range values {
		return Config{}, fmt.Errorf("read settings: this version does not know %q", key)
	}
	return c, nil
}

// setJSON sets a value that Canonical wrote: a string, a list of strings, or a bare number or word.
func setJSON(f setting.Field, raw json.RawMessage) error {
	var problem *setting.Mistake
	var text string
	var items []string
	switch {
	case f.Kind() == setting.List:
		if err := json.Unmarshal(raw, &items); err != nil {
			return fmt.Errorf("%s: %w", f.Key, err)
		}
		problem = f.SetItems(items)
	case json.Unmarshal(raw, &text) == nil:
		problem = f.Set(text)
	default:
		problem = f.Set(string(raw))
	}
	if problem != nil {
		return fmt.Errorf("%v", problem)
	}
	return nil
}
