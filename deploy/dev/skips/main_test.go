package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRead reads the events of a real go test of a module with one test of each kind.
func TestRead(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GOFLAGS", "-trimpath") // what make has compiled is taken
	for name, text := range map[string]string{
		"go.mod": "module planted\ngo 1.26\n",
		"planted_test.go": `package planted
import "testing"
func TestPass(t *testing.T) {}
func TestSkip(t *testing.T) { t.Log("before"); t.Skip("for two\nlines") }
func TestBare(t *testing.T) { t.SkipNow() }
func TestData(t *testing.T) { t.Run("sub", func(t *testing.T) { t.Skip("shared data absent: news") }) }
`,
		"none/none_test.go":   "package none\nimport \"testing\"\nfunc TestMain(*testing.M) {}\nfunc TestNever(*testing.T) {}\n",
		"empty/empty_test.go": "package empty\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	events, err := exec.CommandContext(t.Context(), "go", "test", "-json", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	got := skips{}
	if err := got.read(strings.NewReader(string(events))); err != nil {
		t.Fatal(err)
	}
	want := skips{
		"planted.TestSkip":     "for two lines",
		"planted.TestBare":     "no reason given",
		"planted.TestData/sub": "shared data absent: news",
		"planted/none":         "TestMain ended before any test",
	}
	if !maps.Equal(got, want) {
		t.Errorf("the skipped tests are %q, want %q", got, want)
	}
	var out strings.Builder
	if failed := got.list(&out); failed != 3 || !strings.Contains(out.String(), "  planted.TestSkip: for two lines\n") {
		t.Errorf("%d of the skipped tests have no excuse, want 3; the list is %s", failed, out.String())
	}
}

// TestReadRefuses wants an error for what is no event, so that no file passes unread.
func TestReadRefuses(t *testing.T) {
	if err := (skips{}).read(strings.NewReader("ok planted\n")); err == nil {
		t.Error("a line that is no event was read without an error")
	}
}
