package inspect

import (
	"context"
	"errors"
	"io"
	"testing"
)

// TestPatient: what waits for a text that does not come ends with its context, and until then reads what comes.
func TestPatient(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _, _ = io.WriteString(out, "a text") }()
	waiting, text := untilDone{ctx, in}, make([]byte, len("a text"))
	if _, err := io.ReadFull(waiting, text); string(text) != "a text" || err != nil {
		t.Errorf("reading patiently gives %q, error %v; want a text and no error", text, err)
	}
	cancel() // only now: what comes at the same moment may be left out
	if rest, err := io.ReadAll(waiting); len(rest) > 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("behind it %q, %v", rest, err)
	}
}
