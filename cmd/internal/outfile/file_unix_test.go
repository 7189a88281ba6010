//go:build unix

package outfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestPipeThatNobodyReads: writing to a named pipe ends with an error when its reader has gone. It would wait for ever
// if the writer counted as a reader.
func TestPipeThatNobodyReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Open(path, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(out.Begin(), out.Line([]byte("read")), out.Flush(), reader.Close()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(out.Line([]byte("unread")), out.Flush()); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("nobody reads: %v", err)
	}
	if err := out.Close(); err != nil {
		t.Error(err)
	}
}
