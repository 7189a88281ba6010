package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// processState returns the third field of proc(5)'s stat. T means stopped.
func processState(t *testing.T, pid int) string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	check(t, err)
	return strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))[0]
}
