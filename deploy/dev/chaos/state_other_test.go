//go:build unix && !linux

package main

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// processState asks ps. T means stopped.
func processState(t *testing.T, pid int) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ps", "-o", "state=", "-p", strconv.Itoa(pid)).Output()
	check(t, err)
	return strings.TrimSpace(string(out))[:1]
}
