package reload

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// put puts a file in the place of another, as who renews a file does.
func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// pair is a value of two files that must agree.
func pair(t *testing.T, told func(error)) (v *Value[string], a, b string) {
	t.Helper()
	dir := t.TempDir()
	a, b = filepath.Join(dir, "a"), filepath.Join(dir, "b")
	put(t, a, "1")
	put(t, b, "1")
	v, err := Open(func() (string, error) {
		one, err := os.ReadFile(a)
		if err != nil {
			return "", err
		}
		other, err := os.ReadFile(b)
		if err == nil && string(one) != string(other) {
			err = errors.New("they do not agree: " + string(one) + " and " + string(other))
		}
		return string(one), err
	}, told, a, b)
	if err != nil {
		t.Fatal(err)
	}
	return v, a, b
}

func TestGet(t *testing.T) {
	var told []string
	v, a, b := pair(t, func(err error) {
		if err == nil {
			told = append(told, "read")
			return
		}
		told = append(told, err.Error())
	})
	gives := func(what, want string) {
		t.Helper()
		for range 3 {
			if got := v.Get(); got != want {
				t.Errorf("%s: %q, want %q", what, got, want)
			}
		}
	}
	gives("nothing changed", "1")
	put(t, a, "2")
	gives("half of it is renewed", "1")
	put(t, b, "2")
	gives("all of it is renewed", "2")
	if err := os.Remove(b); err != nil {
		t.Fatal(err)
	}
	gives("a file is gone", "2")
	put(t, b, "2")
	gives("it is back", "2")
	all := strings.Join(told, "; ")
	if len(told) != 4 || told[0] != "they do not agree: 2 and 1" || told[1] != "read" ||
		!strings.Contains(told[2], "no such file") || told[3] != "read" {
		t.Errorf("told: %s", all)
	}
}

// TestLink: a link that leads to another file is another file, as Kubernetes renews a Secret.
func TestLink(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "token")
	for _, name := range []string{"old", "new"} {
		put(t, filepath.Join(dir, name), name)
	}
	if err := os.Symlink("old", link); err != nil {
		t.Skipf("this system makes no links: %v", err)
	}
	v, err := Open(func() (string, error) {
		text, err := os.ReadFile(link)
		return string(text), err
	}, nil, link)
	if err != nil || v.Get() != "old" {
		t.Fatalf("Open of a link to a file gives %q, error %v; want old and no error", v.Get(), err)
	}
	if err := os.Symlink("new", link+".new"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(link+".new", link); err != nil {
		t.Fatal(err)
	}
	if got := v.Get(); got != "new" {
		t.Errorf("got %q", got)
	}
}

func TestOpenTells(t *testing.T) {
	if _, err := Open(func() (int, error) { return 0, os.ErrNotExist }, nil,
		filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// Files that cannot be read for long, as on a network that is away, hold nobody up for longer than a moment: the value from
// before counts until they are read.
func TestFilesThatHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "token")
		put(t, path, "old")
		hangs := make(chan struct{})
		close(hangs)
		var told []error
		v, err := Open(func() (string, error) {
			<-hangs
			text, err := os.ReadFile(path)
			return string(text), err
		}, func(err error) { told = append(told, err) }, path)
		if err != nil {
			t.Fatal(err)
		}
		before := "old"
		for _, text := range []string{"newer", "newest"} {
			hangs = make(chan struct{})
			put(t, path, text)
			for i, most := range []time.Duration{patience, 0, 0} {
				began := time.Now()
				if got, took := v.Get(), time.Since(began); got != before || took > most {
					t.Errorf("Get %d while the files hang gives %q after %v, want %s after at most %v", i+1, got, took, before, most)
				}
			}
			close(hangs)
			synctest.Wait()
			before = text
		}
		if got := v.Get(); got != before {
			t.Errorf("when the files can be read Get gives %q, want %s", got, before)
		}
		if len(told) != 3 || !errors.Is(told[0], errSlow) || told[1] != nil || told[2] != nil {
			t.Errorf("told is %v, want once that the files hang, and each time that they were read", told)
		}
	})
}
