//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// phases reads from a member's log where the time of its last start went: until it was ready, and until each of its
// sessions read.
func phases(log string) (string, error) {
	f, err := os.Open(log)
	if err != nil {
		return "", fmt.Errorf("read the member's log: %w", err)
	}
	defer f.Close()
	var parts []string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l line
		if json.Unmarshal(lines.Bytes(), &l) != nil { // written outside of the log
			continue
		}
		switch l["message"] {
		case "ready":
			parts = []string{l.sum("ready", "connect", "name", "fence", "restore", "catch_up")}
		case "reading begins":
			parts = append(parts, l.sum("reads", "join", "fence", "settle", "client", "topics", "journal", "stable", "decide"))
		}
	}
	return strings.Join(parts, "; "), lines.Err()
}

// line is a line of a log.
type line map[string]any

// sum returns how many milliseconds it took together, and in each phase that took some time.
func (l line) sum(what string, names ...string) string {
	var each []string
	for _, name := range names {
		if ms, ok := l[name+"_ms"].(float64); ok && ms > 0 {
			each = append(each, fmt.Sprintf("%s %.0f", name, ms))
		}
	}
	took, _ := l["took_ms"].(float64)
	return fmt.Sprintf("%s after %.0f ms (%s)", what, took, strings.Join(each, ", "))
}
