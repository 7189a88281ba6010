package outfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestReplaceFile: what was there stays until another is whole, and nothing else is left.
func TestReplaceFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report")
	broken := errors.New("no space left")
	for _, there := range []string{"", "old"} {
		if there != "" {
			if err := os.WriteFile(path, []byte(there), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		err := Replace(path, 0o600, func(out io.Writer) error {
			_, err := io.WriteString(out, "half of")
			if now, _ := os.ReadFile(path); string(now) != there {
				t.Errorf("while it is written: %q", now)
			}
			return errors.Join(err, broken)
		})
		if now, _ := os.ReadFile(path); !errors.Is(err, broken) || string(now) != there {
			t.Errorf("after Replace failed with %v, the file reads %q; want the error %v, and %q as before", err, now, broken, there)
		}
	}
	err := Replace(path, 0o644, func(out io.Writer) error {
		_, err := io.WriteString(out, "new")
		return err
	})
	info, _ := os.Stat(path)
	if now, _ := os.ReadFile(path); err != nil || string(now) != "new" || info.Mode().Perm() != 0o600 {
		t.Errorf("the replaced file reads %q with mode %v, error %v; want new with mode 0600", now, info.Mode(), err)
	}
	if left := names(t, dir); !slices.Equal(left, []string{"report"}) {
		t.Errorf("left are %v", left)
	}
}

// TestReplaceFileOfALongName: a name may be as long as the file system takes.
func TestReplaceFileOfALongName(t *testing.T) {
	dir := t.TempDir()
	name := strings.Repeat("x", 255)
	err := Replace(filepath.Join(dir, name), 0o600, func(out io.Writer) error {
		_, err := io.WriteString(out, "new")
		return err
	})
	if left := names(t, dir); err != nil || !slices.Equal(left, []string{name}) {
		t.Errorf("%v, left are %v", err, left)
	}
}

// TestReplaceFileWhereItCannot: what was written is not lost where no file can take that place any more.
func TestReplaceFileWhereItCannot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report")
	err := Replace(path, 0o600, func(out io.Writer) error {
		_, err := io.WriteString(out, "all of it")
		return errors.Join(err, os.Mkdir(path, 0o700))
	})
	if err == nil {
		t.Fatal("a file took the place of a directory")
	}
	_, kept, _ := strings.Cut(err.Error(), "; what was written stands in ")
	if now, err2 := os.ReadFile(kept); err2 != nil || string(now) != "all of it" {
		t.Errorf("Replace says %v, and the file that this names reads %q, error %v; want all of it and no error", err, now, err2)
	}
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

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
