package outfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestCreate: a file appears when it is whole, never in the place of another, and nothing else is left.
func TestCreate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "export")
	text := func(text string, then func() error) func(io.Writer) error {
		return func(out io.Writer) error {
			_, err := io.WriteString(out, text)
			if _, there := os.Lstat(path); there == nil {
				t.Error("half of it has the name already")
			}
			return errors.Join(err, then())
		}
	}
	broken := errors.New("no space left")
	if err := Create(path, text("half of", func() error { return broken })); !errors.Is(err, broken) {
		t.Error(err)
	}
	another := func() error { return os.WriteFile(path, []byte("of another"), 0o600) }
	if err := Create(path, text("late", another)); !errors.Is(err, ErrExists) {
		t.Error(err)
	}
	if err := Create(path, nil); !errors.Is(err, ErrExists) {
		t.Error(err)
	}
	if now, err := os.ReadFile(path); string(now) != "of another" {
		t.Errorf("the file that another wrote reads %q, error %v; want of another and no error", now, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := Create(path, text("whole", func() error { return nil })); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if now, _ := os.ReadFile(path); err != nil || string(now) != "whole" || info.Mode().Perm() != 0o600 {
		t.Errorf("the created file reads %q with mode %v, error %v; want whole with mode 0600", now, info.Mode(), err)
	}
	if left := names(t, dir); !slices.Equal(left, []string{"export"}) {
		t.Errorf("left are %v", left)
	}
}
