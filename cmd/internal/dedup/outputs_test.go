package dedup_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/index"
)

// full is a disk without space.
type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }

// TestAFullDiskIsToldOnce: writing fails before the end, and what is buffered cannot be written either, for the same
// reason.
func TestAFullDiskIsToldOnce(t *testing.T) {
	noSpace := errors.New("no space left on device")
	err := judgeTo(t, articles(t, 300), dedup.OutputParams{Paths: map[string]string{"unique": corpus.Stdin}, Stdout: full{noSpace}})
	if !errors.Is(err, noSpace) || err.Error() != noSpace.Error() {
		t.Errorf("Run to a full disk ends with %v; want only %v", err, noSpace)
	}
}

// TestTablesOnAFullDisk: the run ends with that, once.
func TestTablesOnAFullDisk(t *testing.T) {
	const device = "/dev/full"
	if _, err := os.Stat(device); err != nil {
		t.Skipf("this system has no device that is full: %v", err)
	}
	path := filepath.Join(t.TempDir(), "c.parquet")
	if err := os.Symlink(device, path); err != nil {
		t.Fatal(err)
	}
	err := judgeTo(t, articles(t, 100), dedup.OutputParams{Paths: map[string]string{"clusters": path}, Stdout: io.Discard})
	if err == nil || strings.Count(err.Error(), "no space left") != 1 {
		t.Errorf("Run with a table on a full disk ends with %v; want an error that says no space left once", err)
	}
}

// judgeTo judges a file.
func judgeTo(t *testing.T, path string, o dedup.OutputParams) error {
	t.Helper()
	out, err := dedup.OpenOutputs(o)
	if err != nil {
		t.Fatal(err)
	}
	p := dedup.Pass{
		Params: dedup.Params{Index: index.DefaultParams(), Workers: 1, Whole: true}, Judge: newIndex(t, 64<<20, false), Out: out, Notes: io.Discard,
	}
	err = p.Run(t.Context(), nil, &dedup.Input{Reader: reading(t, path)})
	if more := out.Close(); more != nil {
		t.Error(more)
	}
	return err
}
