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
		if err := f.SetJSON(raw); err != nil {
			return Config{}, fmt.Errorf("read settings: %w", err)
		}
	}
	for key := range values {
		return Config{}, fmt.Errorf("read settings: this version does not know %q", key)
	}
	return c, nil
}
