package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"
)

// This is the size of the terminal: wide enough for outlets and originals, and no wider than a page.
const (
	width  = 112
	height = 24
)

// record runs a command on a terminal of its own, which script makes (util-linux, on any Linux).
func record(ctx context.Context, program, command, dir string) (cast, error) {
	out, times := filepath.Join(dir, "out"), filepath.Join(dir, "times")
	_, arguments, _ := strings.Cut(command, " ")
	run := exec.CommandContext(ctx, "script", "--quiet", "--return", "--log-out", out, "--log-timing", times,
		"--command", fmt.Sprintf("stty cols %d rows %d; exec %s %s", width, height, program, arguments))
	run.Env = append(os.Environ(), "TERM=xterm-256color", "NO_COLOR=", "TMPDIR=/tmp")
	if said, err := run.CombinedOutput(); err != nil {
		return cast{}, fmt.Errorf("run the demo: %w\n%s", err, said)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		return cast{}, fmt.Errorf("read what the demo wrote: %w", err)
	}
	file, err := os.ReadFile(times)
	if err != nil {
		return cast{}, fmt.Errorf("read when the demo wrote it: %w", err)
	}
	_, text, _ = bytes.Cut(text, []byte("\n")) // script's own line
	return cast{header{Version: 2, Width: width, Height: height, Command: command}, events(string(text), string(file))}, nil
}

// events cuts a text where it was written: a line for each piece has the seconds since the last one, and its bytes.
func events(text, times string) (all []event) {
	at, from, to := 0.0, 0, 0
	for line := range strings.Lines(times) {
		var seconds float64
		var n int
		if _, err := fmt.Sscan(line, &seconds, &n); err != nil {
			break
		}
		at, to = at+seconds, min(to+n, len(text))
		if utf8.ValidString(text[from:to]) { // else it ends within a character
			all = append(all, event{time.Duration(at * float64(time.Second)), text[from:to]})
			from = to
		}
	}
	return all
}
