package tune

import (
	"strings"
	"testing"

	"github.com/unecho/unecho/index/ignore"
)

// TestListIsReadable: what is written can be read again.
func TestListIsReadable(t *testing.T) {
	if err := readable(make([]byte, ignore.MaxBytes)); err != nil {
		t.Errorf("a list of as many bytes as are read: %v", err)
	}
	if err := readable(make([]byte, ignore.MaxBytes+1)); err == nil || !strings.Contains(err.Error(), "raise --share") {
		t.Errorf("a list of one byte more: %v, want an error that says to raise --share", err)
	}
}
