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
	if r.finish(goTests(t.Context(), []string{
		"-skip", "Long$", "./left", "--", "./right", "--", "-skip", "Long$",
		"-count=1", "./left", "--",
	}, r)) {
		t.Error("the second fails")
	}
	for _, want := range []string{
		"ok  \tplanted/left", "FAIL\tplanted/right", "  planted/right.TestRight\n",
		"\n2 passed, 1 failed\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in:\n%s", want, &out)
		}
	}
}

// TestAgain: what fails now and then is told, what fails always fails, and more failures than the bound, or one of
// another kind, are none of chance.
func TestAgain(t *testing.T) {
	const unstable = `func TestUnstable(t *testing.T) {
	t.Run("sub", func(t *testing.T) {
		if os.Mkdir("seen", 0o755) == nil { t.Fatal("the first time") }
	})
}
`
	for name, c := range map[string]struct {
		most int
		text string
		ok   bool
		says []string
	}{
		"unstable": {1, unstable, true, []string{
			"the first time", "planted.TestUnstable failed: it is run again, alone",
			"UNSTABLE", "  planted.TestUnstable/sub\n", "\n1 passed, 0 failed, 1 unstable\n",
		}},
		"strict": {0, unstable, false, []string{"failed:\n  planted.TestUnstable/sub\n\n1 passed, 1 failed\n"}},
		"always": {
			3, unstable + "func TestAlways(t *testing.T) { t.Fatal(2) }", false,
			[]string{"failed:\n  planted.TestAlways\n", "  planted.TestUnstable/sub\n", "\n1 passed, 1 failed, 1 unstable\n"},
		},
		"many": {1, unstable + "func TestAlways(t *testing.T) { t.Fatal(2) }", false, []string{"\n1 passed, 2 failed\n"}},
		"race": {
			3, unstable + `func TestRaced(t *testing.T) { t.Error("race detected during execution of test") }`,
			false,
			[]string{"\n1 passed, 2 failed\n"},
		},
		"panic": {
			3, "func TestPanics(t *testing.T) { if os.Mkdir(\"seen\", 0o755) == nil { os.Exit(3) } }", false,
			[]string{"did not end"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("GOFLAGS", "")
			for file, text := range map[string]string{
				"go.mod":          "module planted\ngo 1.26\n",
				"planted_test.go": "package planted\nimport (\"os\"; \"testing\")\nfunc TestPass(t *testing.T) {}\nfunc TestOtherLong(t *testing.T) { t.Fatal(1) }\n" + c.text,
			} {
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			var out strings.Builder
			r := newReport(&out, true)
			err := goTests(t.Context(), []string{"-skip", "Long$", "./..."}, r)
			r.again(t.Context(), c.most)
			if r.finish(err) != c.ok {
				t.Errorf("want %t", c.ok)
			}
			for _, want := range c.says {
				if !strings.Contains(out.String(), want) {
					t.Errorf("want %q in:\n%s", want, &out)
				}
			}
		})
	}
	if _, err := retries("some"); err == nil {
		t.Error("some is no number")
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
