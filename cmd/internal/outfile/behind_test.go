package outfile

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// slow is standard output that writes a block when it is allowed to.
type slow struct {
	strings.Builder
	allowed chan error
}

func (s *slow) Write(p []byte) (int, error) {
	if err := <-s.allowed; err != nil {
		return 0, err
	}
	return s.Builder.Write(p)
}

// TestLinesBeforeTheyAreWritten: lines are taken while none of them is written, from memory that serves again. After
// Flush all of them are, in their order, however long one is.
func TestLinesBeforeTheyAreWritten(t *testing.T) {
	out := &slow{allowed: make(chan error)}
	f, err := Open("-", out)
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	line := make([]byte, 0, 2*blockBytes)
	for i := 0; want.Len() < blocks*blockBytes; i++ {
		line = fmt.Appendf(line[:0], "%d %s", i, strings.Repeat("x", i%1000))
		want.WriteString(string(line) + "\n")
		if err := f.Line(line); err != nil {
			t.Fatal(err)
		}
	}
	if out.Len() > 0 {
		t.Fatalf("%d bytes are written", out.Len())
	}
	close(out.allowed)
	long := strings.Repeat("y", 3*blockBytes+1)
	want.WriteString(long + "\n")
	if err := errors.Join(f.Line([]byte(long)), f.Flush()); err != nil || out.String() != want.String() {
		t.Errorf("%d bytes of %d are written, or others; %v", out.Len(), want.Len(), err)
	}
	if err := errors.Join(f.Line([]byte("more")), f.Flush(), f.Close()); err != nil || !strings.HasSuffix(out.String(), "y\nmore\n") {
		t.Error(err)
	}
}

// TestBlockThatFails: the error of a block comes again with each later one and with Flush, nothing is written behind
// it, and nobody waits.
func TestBlockThatFails(t *testing.T) {
	out, full := &slow{allowed: make(chan error, 2)}, errors.New("no space left")
	out.allowed <- nil
	out.allowed <- full
	f, err := Open("-", out)
	if err != nil {
		t.Fatal(err)
	}
	line := []byte(strings.Repeat("x", blockBytes))
	for n := 0; err == nil; n++ {
		if err = f.Line(line); n > 2*blocks+3 {
			t.Fatal("lines are taken after the error")
		}
	}
	if more := f.Flush(); !errors.Is(err, full) || !errors.Is(more, err) {
		t.Errorf("%v, then %v", err, more)
	}
	if err := f.Close(); err != nil || out.Len() != blockBytes {
		t.Errorf("%d bytes are written, %v", out.Len(), err)
	}
}

// TestErrorOfTheLastBlock: Flush returns it.
func TestErrorOfTheLastBlock(t *testing.T) {
	out, full := &slow{allowed: make(chan error, 1)}, errors.New("no space left")
	out.allowed <- full
	f, err := Open("-", out)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Line([]byte("short")), f.Flush()); !errors.Is(err, full) {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	var none *File
	if err := errors.Join(none.Line(nil), none.Flush(), none.Close()); err != nil {
		t.Error(err)
	}
}
