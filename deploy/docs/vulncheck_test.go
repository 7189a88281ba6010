package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What could not be looked up fails in CI, unless that place says that it cannot look; vulnerabilities fail everywhere.
func TestVulncheck(t *testing.T) {
	const away = `echo 'govulncheck: fetching vulnerabilities: Get "https://vuln.go.dev": no such host'; exit 1`
	for _, c := range []struct {
		name, finds string
		environment []string
		code        int
		says        string
	}{
		{"nothing found", "exit 0", []string{"CI=true"}, 0, "no known vulnerabilities"},
		{"something found", "echo GO-2026-1; exit 3", nil, 3, "GO-2026-1"},
		{"something found in CI", "echo GO-2026-1; exit 3", []string{"CI=true", "VULNCHECK=optional"}, 3, "GO-2026-1"},
		{"no way there at a desk", away, nil, 0, "NOT CHECKED"},
		{"no way there in CI", away, []string{"CI=true"}, 1, "in CI that is a failure"},
		{"no way there in CI that knows", away, []string{"CI=true", "VULNCHECK=optional"}, 0, "NOT CHECKED"},
		{"broken", "echo cannot load; exit 1", []string{"CI=true", "VULNCHECK=optional"}, 1, "cannot load"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tool := filepath.Join(t.TempDir(), "govulncheck")
			if err := os.WriteFile(tool, []byte("#!/bin/sh\n"+c.finds+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), filepath.Join(root, "deploy/dev/vulncheck.sh"), tool, "./...")
			cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, c.environment...)
			out, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(string(out), c.says) {
				t.Errorf("exit code %d, want %d, and %q in\n%s", code, c.code, c.says, out)
			}
		})
	}
}
