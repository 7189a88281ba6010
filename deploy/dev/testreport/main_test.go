//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestGoTest runs go test for real on a module with one test of each kind.
func TestGoTest(t *testing.T) {
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(t.TempDir())
	t.Setenv("GOFLAGS", "")
	write("go.mod", "module planted\ngo 1.26\n")
	write("planted_test.go", `package planted
import "testing"
func TestPass(t *testing.T) {}
func TestFail(t *testing.T) { t.Fatal("planted failure") }
func TestSkip(t *testing.T) { t.Skip("planted skip") }
`)
	var out strings.Builder
	r := newReport(&out, true)
	if r.finish(goTest(t.Context(), []string{"./..."}, r)) {
		t.Error("a failed test and, in CI, a skipped one must not pass")
	}
	for _, want := range []string{
		"planted_test.go:4: planted failure\n", "FAIL\tplanted", "planted.TestFail\n",
		"planted.TestSkip: skipped, and in CI that is a failure: planted skip\n", "\n1 passed, 2 failed\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in:\n%s", want, &out)
		}
	}
}

// TestGoTests runs two go tests at once into one report.
func TestGoTests(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GOFLAGS", "")
	for name, text := range map[string]string{
		"go.mod":            "module planted\ngo 1.26\n",
		"left/l_test.go":    "package left\nimport \"testing\"\nfunc TestLeft(t *testing.T) {}\nfunc TestLong(t *testing.T) { t.Fatal(1) }\n",
		"right/r_test.go":   "package right\nimport \"testing\"\nfunc TestRight(t *testing.T) { t.Fatal(2) }\n",
		"neither/n_test.go": "package neither\nimport \"testing\"\nfunc TestNeither(t *testing.T) { t.Fatal(3) }\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	r := newReport(&out, true)
	if r.finish(goTests(t.Context(), []string{"-skip", "Long$", "./left", "--", "./right"}, r)) {
		t.Error("the second fails")
	}
	for _, want := range []string{"ok  \tplanted/left", "FAIL\tplanted/right", "  planted/right.TestRight\n", "\n1 passed, 1 failed\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in:\n%s", want, &out)
		}
	}
}

// TestGoTestInterrupted interrupts a test that would never end, once it has shown that it runs.
func TestGoTestInterrupted(t *testing.T) {
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	for name, text := range map[string]string{
		"go.mod": "module planted\ngo 1.26\n",
		"planted_test.go": `package planted
import ("os"; "testing")
func TestHang(t *testing.T) {
	pipe, _ := os.OpenFile(os.Getenv("STARTED"), os.O_WRONLY, 0)
	pipe.Close()
	<-t.Context().Done()
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(started, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "")
	t.Setenv("STARTED", started)
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		defer interrupt()
		pipe, err := os.Open(started) // returns when the test has opened its end
		if err == nil {
			_ = pipe.Close()
		}
	}()
	r := newReport(&strings.Builder{}, false)
	if err := goTest(ctx, []string{"./..."}, r); err == nil {
		t.Error("interrupted tests must not pass")
	}
}
