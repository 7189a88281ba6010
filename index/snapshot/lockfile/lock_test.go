package lockfile_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/index/snapshot/lockfile"
)

// lockVariable names the lock that a child of the test takes, and keeps until it is killed.
const lockVariable = "UNECHO_TEST_LOCK"

// TestLock: one has the lock at a time; it comes back when it is released, and when who has it is killed.
func TestLock(t *testing.T) {
	if path := os.Getenv(lockVariable); path != "" {
		lock, err := lockfile.Take(path)
		fmt.Println("taken:", err)
		time.Sleep(time.Hour)
		runtime.KeepAlive(lock) // what nobody refers to is closed
	}
	path := filepath.Join(t.TempDir(), "lock")
	lock, err := lockfile.Take(path)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("another run (pid %d on ", os.Getpid())
	if _, err := lockfile.Take(path); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if err := lockfile.Release(lock); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), program, "-test.run=^TestLock$")
	child.Env = append(os.Environ(), lockVariable+"="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, 100)
	if n, err := out.Read(said); err != nil || !bytes.HasPrefix(said, []byte("taken: <nil>")) {
		t.Fatalf("the child says %q, error %v; want that it took the released lock without an error", said[:n], err)
	}
	want = fmt.Sprintf("another run (pid %d on ", child.Process.Pid)
	if _, err := lockfile.Take(path); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	if lock, err = lockfile.Take(path); err != nil {
		t.Fatal(err)
	}
	if err := lockfile.Release(lock); err != nil {
		t.Error(err)
	}
}
