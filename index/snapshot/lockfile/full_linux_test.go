package lockfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/unecho/unecho/index/snapshot/lockfile"
)

// TestLockOnFullDisk: a lock is taken also where the disk has no room to say who has it, and keeps others out. Each write to
// /dev/full fails as on a full disk.
func TestLockOnFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	if _, err := full.WriteAt([]byte("x"), 0); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("a write to /dev/full fails with %v", err)
	}
	path := filepath.Join(t.TempDir(), "lock")
	if err := os.Symlink("/dev/full", path); err != nil {
		t.Fatal(err)
	}
	lock, err := lockfile.Take(path)
	if err != nil {
		t.Fatalf("nobody has the lock, and it cannot be taken: %v", err)
	}
	if second, err := lockfile.Open(path); second != nil || err != nil { // Take would read who has it, and /dev/full has no end
		t.Errorf("a second one takes it, or fails with %v", err)
	}
	if err := lockfile.Release(lock); err != nil {
		t.Error(err)
	}
}

// TestLockNamesTheLastOne: who has a lock is told, and nothing of a longer text of before.
func TestLockNamesTheLastOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	if err := os.WriteFile(path, []byte("pid 1 on a host with a name that is "+strings.Repeat("very, ", 40)+"long\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	lock, err := lockfile.Take(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = lockfile.Take(path)
	if err == nil || strings.Contains(err.Error(), "very") || !strings.Contains(err.Error(), "another run (pid ") {
		t.Errorf("a second one is told %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || strings.Count(string(text), "\n") != 1 || !strings.HasSuffix(string(text), "\n") {
		t.Errorf("the file says %q, error %v; want one line", text, err)
	}
	if err := lockfile.Release(lock); err != nil {
		t.Error(err)
	}
}
