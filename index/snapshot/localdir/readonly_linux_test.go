package localdir

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestNotOurs opens a directory without the right to write there. Root may write anywhere, so this thread gives up its
// rights on files for a moment.
func TestNotOurs(t *testing.T) {
	dir := t.TempDir()
	openAt(t, dir, "orders")
	if os.Geteuid() == 0 {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := unix.Setfsuid(65534); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := unix.Setfsuid(0); err != nil {
				t.Error(err)
			}
		}()
	} else {
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.Chmod(dir, 0o700) }() // for the test's cleanup
	}
	_, err := params(dir).Open(t.Context(), "invoices")
	if !errors.Is(err, unix.EACCES) || !strings.Contains(err.Error(), "give the directory to the user") {
		t.Fatalf("got %v", err)
	}
}
