//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
)

// build makes the members' binary in dir. p says whether it has a clock that can be set off, the race detector or a
// bug.
func build(ctx context.Context, dir string, p params) (string, error) {
	path := filepath.Join(dir, "unecho")
	args := []string{"build", "-o", path}
	if p.race {
		args = append(args, "-race")
	}
	if p.skew > 0 || p.bug != "" {
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
	if p.skew > 0 {
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
