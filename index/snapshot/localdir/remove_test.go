package localdir

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/unecho/unecho/index/snapshot/objects"
)

// What an interrupted removal left has no manifests any more, and is removed all the same.
func TestRemoveWhatIsLeft(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, "gone", objects.Segments)
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	if found, err := params(dir).Remove(t.Context(), "gone"); !found || err != nil {
		t.Errorf("Remove finds something: %t, error %v; want true and no error", found, err)
	}
	if _, err := os.Stat(filepath.Dir(left)); !os.IsNotExist(err) {
		t.Errorf("it is there: %v", err)
	}
}
