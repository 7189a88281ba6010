package dedup_test

import (
	"errors"
	"io"
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
	r := reading(t, articles(t, 300))
	noSpace := errors.New("no space left on device")
	out, err := dedup.OpenOutputs(dedup.OutputParams{
		Paths:  map[string]string{"unique": corpus.Stdin},
		Stdout: full{noSpace},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := dedup.Pass{
		Params: dedup.Params{Index: index.DefaultParams(), Workers: 1, Whole: true}, Judge: newIndex(t, 64<<20, false),
		Out: out, Notes: io.Discard,
	}
	if err := p.Run(t.Context(), nil, &dedup.Input{Reader: r}); !errors.Is(err, noSpace) ||
		err.Error() != noSpace.Error() {
		t.Errorf("Run to a full disk ends with %v; want only %v", err, noSpace)
	}
	if err := out.Close(); err != nil {
		t.Error(err)
	}
}
