//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// skewVariable holds how many seconds a process's clock is off, if its binary was built for that. Its name must not
// have the prefix of settings, because the program would refuse it as an unknown setting.
const skewVariable = "CHAOS_CLOCK_SKEW"

// skewed replaces time.Now by one that adds an offset. Timers, deadlines and durations use the monotonic clock and stay
// as they are.
const skewed = `package time

import "syscall"

var skew = skewed()

func skewed() int64 {
	text, _ := syscall.Getenv("` + skewVariable + `")
	n, _ := atoi(text)
	return int64(n)
}
`

// build makes the members' binary in dir. p says whether it has a clock that can be set off, the race detector or a
// bug.
func build(ctx context.Context, dir string, p params) (string, error) {
	path := filepath.Join(dir, "unecho")
	args := []string{"build", "-o", path}
	if p.race {
		args = append(args, "-race")
	}
	if p.skew || p.bug != "" {
		overlay, err := overlay(ctx, dir, p)
		if err != nil {
			return "", err
		}
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "github.com/unecho/unecho/cmd/unecho")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build unecho: %w\n%s", err, out)
	}
	return path, nil
}

// overlay writes the file that tells the compiler which files to replace by which.
func overlay(ctx context.Context, dir string, p params) (string, error) {
	replace := map[string]string{}
	if p.skew {
		clock, err := skewClock(ctx, dir)
		if err != nil {
			return "", fmt.Errorf("set clocks off: %w", err)
		}
		maps.Copy(replace, clock)
	}
	if p.bug != "" {
		wrong, err := plant(ctx, dir, p.bug)
		if err != nil {
			return "", err
		}
		maps.Copy(replace, wrong)
	}
	path := filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	return path, os.WriteFile(path, text, 0o600)
}

// skewClock writes a copy of the standard library's package time whose clock can be set off.
func skewClock(ctx context.Context, dir string) (map[string]string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("find the standard library: %w", err)
	}
	library := filepath.Join(strings.TrimSpace(string(out)), "src", "time")
	text, err := os.ReadFile(filepath.Join(library, "time.go"))
	if err != nil {
		return nil, err
	}
	const now = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	if strings.Count(string(text), now) != 1 {
		return nil, errors.New("this Go's time.Now begins otherwise: adapt the replacement, or go without by -skew=false")
	}
	patched := strings.Replace(string(text), now, now+"\tsec += skew\n", 1)
	replace := map[string]string{}
	for name, text := range map[string]string{"time.go": patched, "skew.go": skewed} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return nil, err
		}
		replace[filepath.Join(library, name)] = path
	}
	return replace, nil
}
