package docs

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoTest plants packages that fail in every way that there is, and wants gotest.sh to fail in CI, and to say why. What
// fails once and passes then is told, and passes.
func TestGoTest(t *testing.T) {
	tool := os.Getenv("GOTESTSUM")
	if tool == "" {
		t.Skip("needs gotestsum: run make test")
	}
	top := t.TempDir()
	writeFile(t, filepath.Join(top, "deploy/dev/gotest.sh"), read(t, "deploy/dev/gotest.sh"))
	const once = `if os.Mkdir("seen", 0o755) == nil { `
	for name, c := range map[string]struct {
		tests string
		ok    bool
		says  string
	}{
		"passes":        {`func TestA(t *testing.T) {}`, true, "DONE 1 tests"},
		"is unstable":   {`func TestA(t *testing.T) { ` + once + `t.Fatal("planted") } }`, true, "planted.TestA: 2 runs, 1 failures"},
		"fails":         {`func TestA(t *testing.T) { t.Fatal("planted") }`, false, "planted"},
		"is skipped":    {`func TestA(t *testing.T) { t.Log("before"); t.Skip("for \"two\"\nlines") }`, false, "\n  planted.TestA: for \"two\" lines\n"},
		"is bare":       {`func TestA(t *testing.T) { t.SkipNow() }`, false, "\n  planted.TestA: no reason given\nFAIL: 1 did not run"},
		"skips a part":  {`func TestA(t *testing.T) { t.Run("b", func(t *testing.T) { t.Skip("planted") }) }`, false, "\n  planted.TestA/b: planted\n"},
		"says excuse":   {`func TestA(t *testing.T) { t.Skip("no shared data absent:") }`, false, "planted.TestA: no shared data absent:"},
		"has no test":   {`var _ testing.TB`, true, "DONE 0 tests"},
		"has no data":   {`func TestA(t *testing.T) { t.Skip("shared data absent: planted") }`, true, "shared data absent: planted"},
		"panics":        {`func TestA(t *testing.T) { ` + once + `panic("planted") } }`, false, "planted"},
		"ends":          {`func TestA(t *testing.T) { ` + once + `os.Exit(1) } }; func TestZ(t *testing.T) { t.Fatal(1) }`, false, "it ended outside of a test"},
		"ends later":    {`func TestA(t *testing.T) { ` + once + `t.Error(1) } }; func TestZ(t *testing.T) { if os.Mkdir("z", 0o755) == nil { os.Exit(1) } }`, false, "before its tests had ended"},
		"leaks":         {`func TestA(t *testing.T) {}; func TestMain(m *testing.M) { m.Run(); os.Exit(1) }`, false, "it ended outside of a test"},
		"runs nothing":  {`func TestA(t *testing.T) {}; func TestMain(m *testing.M) {}`, false, "TestMain ended before any test"},
		"cannot start":  {`func TestA(t *testing.T) {}; func TestMain(m *testing.M) { ` + once + `os.Exit(1) }; os.Exit(m.Run()) }`, false, "it ended outside of a test"},
		"is not built":  {`func TestA(t *testing.T) { nothing() }`, false, "nothing"},
		"says it races": {`func TestA(t *testing.T) { ` + once + `os.Stdout.WriteString("WARNING: DATA RACE\n"); t.Error(1) } }`, false, "DATA RACE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "go.mod"), "module planted\ngo 1.26\n")
			writeFile(t, filepath.Join(dir, "planted_test.go"), "package planted\nimport (\"os\"; \"testing\")\nvar _ = os.Args\n"+c.tests+"\n")
			cmd := exec.CommandContext(t.Context(), "bash", filepath.Join(top, "deploy/dev/gotest.sh"), strings.ReplaceAll(name, " ", "-"), "./...", "-count=1")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "CI=true", "TEST_RETRIES=3", "GOFLAGS=-trimpath")
			out, err := cmd.CombinedOutput()
			if (err == nil) != c.ok || !strings.Contains(string(out), c.says) {
				t.Errorf("gotest.sh ends with %v, want success %t and %q in:\n%s", err, c.ok, c.says, out)
			}
		})
	}
}

// TestGoTestRefuses wants an error for what is no event, so that no file passes unread.
func TestGoTestRefuses(t *testing.T) {
	top := t.TempDir()
	writeFile(t, filepath.Join(top, "deploy/dev/gotest.sh"), read(t, "deploy/dev/gotest.sh"))
	tool := filepath.Join(top, "tool")
	writeFile(t, tool, "#!/bin/sh\nwhile [ \"$1\" != --jsonfile ]; do shift; done\necho ok planted >\"$2\"\n")
	cmd := exec.CommandContext(t.Context(), "bash", filepath.Join(top, "deploy/dev/gotest.sh"), "name", "./...")
	cmd.Env = append(os.Environ(), "GOTESTSUM="+tool)
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "this is no event: ok planted") {
		t.Errorf("gotest.sh ends with %v, want a failure that shows the line:\n%s", err, out)
	}
}

// writeFile writes a file that may be run, with the directories above it.
func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o700)); err != nil {
		t.Fatal(err)
	}
}
