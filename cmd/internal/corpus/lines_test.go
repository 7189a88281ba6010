package corpus_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/unecho/unecho/cmd/internal/corpus"
)

// TestEachLineStopsAtAnError: the error says at which line, and what was read up to it was visited.
func TestEachLineStopsAtAnError(t *testing.T) {
	broken := io.MultiReader(iotest.OneByteReader(strings.NewReader("a\n\nb\nc")), iotest.ErrReader(io.ErrUnexpectedEOF))
	var got []string
	bytes := 0
	err := corpus.EachLine(t.Context(), broken, func(n int) { bytes += n }, func(number int, line []byte) error {
		got = append(got, string(rune('0'+number))+string(line))
		return nil
	})
	if !slices.Equal(got, []string{"1a", "3b", "4c"}) || bytes != 7 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("lines %q of %d bytes, error %v; want 1a, 3b and 4c, of 7", got, bytes, err)
	}
}
