//go:build unix

package corpus_test

import (
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/unecho/unecho/cmd/internal/corpus"
)

// TestIDsOfPipe: a named pipe is not opened before it is read: opened twice, its writer would write to nobody.
func TestIDsOfPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	sources, _, err := corpus.Files([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan corpus.IDs, 1)
	go func() {
		_, ids, _ := sources.IDs("id")
		done <- ids
	}()
	select {
	case ids := <-done:
		if ids != corpus.OtherIDs {
			t.Errorf("ids of a pipe are of kind %d; want %d", ids, corpus.OtherIDs)
		}
	case <-time.After(10 * time.Second):
		t.Error("the pipe was opened to learn its ids: that waits for a writer")
	}
}
