package docs

import (
	"regexp"
	"strings"
	"testing"
)

// A duration in a log line says its unit in its name: they are logged in milliseconds.
func TestDurationsInTheLogHaveAUnit(t *testing.T) {
	durations := regexp.MustCompile(`\.Dur\(([^,]+),`)
	found := 0
	for path, text := range sources(t, "cmd", "config", "consumer", "index", "sink") {
		for _, m := range durations.FindAllStringSubmatch(text, -1) {
			found++
			if !strings.HasSuffix(m[1], `_ms"`) {
				t.Errorf("%s: the field %s has no unit: end its name with _ms", path, m[1])
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d durations found: are they still logged with Dur?", found)
	}
}
