package index

import (
	"fmt"
	"slices"

	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/sketch"
)

// Idle returns the settings of the section that decide nothing beside the others, with what to do if somebody gave one.
func (p DuplicatesParams) Idle() (all []setting.Mistake) {
	scheme, err := sketch.SchemeOf(p.Method)
	if err != nil {
		return nil // Validate refuses it
	}
	unread := scheme.Unread()
	for _, f := range setting.Fields(&p) {
		switch {
		case f.Key == "threshold" && p.Verify == verifyEstimate && scheme.ByDistance():
			all = append(all, setting.Wrong(f.Key, f.Text(), fmt.Sprintf("has no effect with method: %s and verify: estimate, where "+
				"duplicates.distance says what is a duplicate", p.Method), "leave it out and set distance, or write verify: jaccard"))
		case slices.Contains(unread, f.Key):
			all = append(all, setting.Wrong(f.Key, f.Text(), "has no effect with method: "+p.Method,
				"leave it out, or write method: "+readBy(f.Key)))
		}
	}
	return all
}

// readBy returns the first sketch that reads a setting.
func readBy(key string) string {
	for _, name := range sketch.Names() {
		if scheme, err := sketch.SchemeOf(name); err == nil && !slices.Contains(scheme.Unread(), key) {
			return name
		}
	}
	return ""
}
