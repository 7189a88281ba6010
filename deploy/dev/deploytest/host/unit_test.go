// Package host holds what is deployed to a machine without containers against the tools of that machine.
package host

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const (
	unit     = "../../../../deploy/systemd/unecho.service"
	exposure = 1.2 // of 10, as systemd-analyze counts, and what it finds now: mostly the network, which it is for
)

// analyze runs systemd-analyze, which comes with Debian's package systemd.
func analyze(t *testing.T, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		out, err := exec.CommandContext(t.Context(), "apt-get", "install", "-y", "--no-install-recommends", "systemd").
			CombinedOutput()
		if err != nil {
			t.Fatalf("install systemd, whose systemd-analyze checks the unit: %v\n%s", err, out)
		}
	}
	out, err := exec.CommandContext(t.Context(), "systemd-analyze", args...).CombinedOutput()
	if err != nil {
		t.Errorf("systemd-analyze %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// The unit is one that systemd takes without a word.
func TestUnitIsValid(t *testing.T) {
	text, err := os.ReadFile(unit)
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.Executable() // systemd asks for a program that is there
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "unecho.service")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), "/usr/local/bin/unecho", binary)),
		0o600); err != nil {
		t.Fatal(err)
	}
	if said := analyze(t, "verify", "--recursive-errors=no", path); said != "" {
		t.Errorf("systemd says:\n%s", said)
	}
}

// The service may do little more than what it is for.
func TestUnitIsHardened(t *testing.T) {
	said := analyze(t, "security", "--offline=true", "--no-pager", unit)
	found := regexp.MustCompile(`exposure level for unecho\.service: ([0-9.]+)`).FindStringSubmatch(said)
	if found == nil {
		t.Fatalf("systemd-analyze says no level:\n%s", said)
	}
	if level, err := strconv.ParseFloat(found[1], 64); err != nil || level > exposure {
		t.Errorf("the exposure is %s, more than %g:\n%s", found[1], exposure, said)
	}
}
