package snapshots

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// WriteSettings writes canonical settings, one on each line.
func WriteSettings(b *strings.Builder, canonical []byte) {
	var values map[string]any
	if json.Unmarshal(canonical, &values) != nil {
		fmt.Fprintf(b, "  none yet\n")
		return
	}
	keys, width := slices.Sorted(maps.Keys(values)), 28
	for _, k := range keys {
		width = max(width, len(k)+1)
	}
	for _, k := range keys {
		text, err := json.Marshal(values[k])
		if err == nil {
			fmt.Fprintf(b, "  %-*s %s\n", width, k, text)
		}
	}
}
