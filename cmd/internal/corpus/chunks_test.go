package corpus_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/unecho/unecho/cmd/internal/corpus"
)

// TestChunksInTurn: chunks that are filled while others are still in use leave those as they are. Together they are the
// file, in whole records with their numbers, however long a record is beside a chunk.
func TestChunksInTurn(t *testing.T) {
	const chunk = 256 << 10
	for _, length := range []int{3, 1000, chunk - 1, chunk, 3*chunk + 5} {
		var all strings.Builder
		for i := 0; all.Len() < 9*chunk; i++ {
			fmt.Fprintf(&all, "%d %s\n", i, strings.Repeat("x", length+i%7))
		}
		sources, _, err := corpus.Files([]string{file(t, "records.txt", all.String())})
		if err != nil {
			t.Fatal(err)
		}
		r, err := corpus.NewReader(corpus.DefaultParams(), sources)
		if err != nil {
			t.Fatal(err)
		}
		chunks, held, end := make([]corpus.Chunk, 3), make([][]byte, 3), 0
		for n := 0; ; n++ {
			c := &chunks[n%3]
			if !bytes.Equal(c.Data, held[n%3]) {
				t.Fatalf("records of %d bytes: a chunk changed while others were read", length)
			}
			if err = r.Next(t.Context(), c); err != nil {
				break
			}
			held[n%3] = bytes.Clone(c.Data)
			if begins := fmt.Sprintf("%d x", c.First-1); !strings.HasPrefix(all.String()[end:], string(c.Data)) ||
				!bytes.HasPrefix(c.Data, []byte(begins)) {
				t.Fatalf("records of %d bytes: not those from %d on: %.9q", length, c.First, c.Data)
			}
			end += len(c.Data)
		}
		if !errors.Is(err, io.EOF) || end != all.Len() {
			t.Errorf("records of %d bytes: %d of %d bytes are read, %v", length, end, all.Len(), err)
		}
	}
}

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
