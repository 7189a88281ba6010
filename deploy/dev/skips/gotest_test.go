package main

import (
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
	for _, dir := range []string{"deploy/dev", ".cache/bin"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script, err := os.ReadFile("../gotest.sh")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(top, "deploy/dev/gotest.sh"), string(script))
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(top, ".cache/bin/skips"), ".").CombinedOutput(); err != nil {
		t.Fatalf("building skips ends with %v: %s", err, out)
	}
	const once = `if os.Mkdir("seen", 0o755) == nil { `
	for name, c := range map[string]struct {
		tests string
		ok    bool
		says  string
	}{
		"passes":        {`func TestA(t *testing.T) {}`, true, "DONE 1 tests"},
		"is unstable":   {`func TestA(t *testing.T) { ` + once + `t.Fatal("planted") } }`, true, "planted.TestA: 2 runs, 1 failures"},
		"fails":         {`func TestA(t *testing.T) { t.Fatal("planted") }`, false, "planted"},
		"is skipped":    {`func TestA(t *testing.T) { t.Skip("planted") }`, false, "planted.TestA: planted"},
		"has no data":   {`func TestA(t *testing.T) { t.Skip("shared data absent: planted") }`, true, "shared data absent: planted"},
		"panics":        {`func TestA(t *testing.T) { ` + once + `panic("planted") } }`, false, "planted"},
		"ends":          {`func TestA(t *testing.T) { ` + once + `os.Exit(1) } }; func TestZ(t *testing.T) { t.Fatal(1) }`, false, "it ended outside of a test"},
		"leaks":         {`func TestA(t *testing.T) {}; func TestMain(m *testing.M) { m.Run(); os.Exit(1) }`, false, "it ended outside of a test"},
		"runs nothing":  {`func TestA(t *testing.T) {}; func TestMain(m *testing.M) {}`, false, "TestMain ended before any test"},
		"cannot start":  {`func TestA(t *testing.T) {}; func TestMain(m *testing.M) { ` + once + `os.Exit(1) }; os.Exit(m.Run()) }`, false, "it ended outside of a test"},
		"is not built":  {`func TestA(t *testing.T) { nothing() }`, false, "nothing"},
		"says it races": {`func TestA(t *testing.T) { ` + once + `os.Stdout.WriteString("WARNING: DATA RACE\n"); t.Error(1) } }`, false, "DATA RACE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, filepath.Join(dir, "go.mod"), "module planted\ngo 1.26\n")
			write(t, filepath.Join(dir, "planted_test.go"), "package planted\nimport (\"os\"; \"testing\")\nvar _ = os.Args\n"+c.tests+"\n")
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

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
