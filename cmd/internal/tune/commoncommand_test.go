package tune

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/ignore"
)

// TestListIsReadable: what is written can be read again.
func TestListIsReadable(t *testing.T) {
	if err := readable(make([]byte, ignore.MaxBytes)); err != nil {
		t.Errorf("a list of as many bytes as are read: %v", err)
	}
	if err := readable(make([]byte, ignore.MaxBytes+1)); err == nil || !strings.Contains(err.Error(), "raise --share") {
		t.Errorf("a list of one byte more: %v, want an error that says to raise --share", err)
	}
}

// stopped is cancelled once it was asked.
type stopped struct {
	context.Context
	asked bool
}

func (s *stopped) Err() error {
	if s.asked {
		return context.Canceled
	}
	s.asked = true
	return nil
}

// TestCommonStops: a signal ends the search at the next document.
func TestCommonStops(t *testing.T) {
	finder, err := ignore.NewFinder(index.DefaultParams(), 0.05)
	if err != nil {
		t.Fatal(err)
	}
	cmd := CommonCommand()
	cmd.SetErr(io.Discard)
	_, err = find(&stopped{Context: t.Context()}, cmd, finder, [][]byte{[]byte("one"), []byte("two"), []byte("three")})
	if list, _, _ := finder.List(); !errors.Is(err, cmdline.ErrUnread) || list.Documents != 1 {
		t.Errorf("%v after %d documents, want an end after 1", err, list.Documents)
	}
}
