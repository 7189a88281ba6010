package setting

import (
	"encoding/json"
	"fmt"
)

// SetJSON sets a value that Canonical wrote: a string, a list or a map of strings, or a bare number or word.
func (f Field) SetJSON(raw json.RawMessage) error {
	var problem *Mistake
	var text string
	var items []string
	var pairs map[string]string
	switch {
	case f.Kind() == List:
		if err := json.Unmarshal(raw, &items); err != nil {
			return fmt.Errorf("%s: %w", f.Key, err)
		}
		problem = f.SetItems(items)
	case f.Kind() == Map:
		if err := json.Unmarshal(raw, &pairs); err != nil {
			return fmt.Errorf("%s: %w", f.Key, err)
		}
		problem = f.SetPairs(pairs)
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
