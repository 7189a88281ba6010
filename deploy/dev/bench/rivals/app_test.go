//go:build unix

package rivals

import (
	"fmt"
	"testing"
)

// TestHear: each line that the application may say reaches the watch, and no other is taken.
func TestHear(t *testing.T) {
	var heard string
	w := Watch{
		Began:     func() { heard = "began" },
		Committed: func(unique, duplicate int) { heard = fmt.Sprint(unique, "+", duplicate) },
	}
	for line, want := range map[string]string{"began": "began", "committed 12 3": "12+3"} {
		if err := w.hear(line); err != nil || heard != want {
			t.Errorf("%q was heard as %q: %v", line, heard, err)
		}
	}
	for _, line := range []string{"failed java.lang.Error: no", "committed", "committed 1", ""} {
		if err := w.hear(line); err == nil {
			t.Errorf("%q was taken", line)
		}
	}
}
