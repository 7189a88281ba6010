//go:build unix

package testbed

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Jars returns the directory name in the cache, which Maven fills once with the jars of a POM.
func Jars(ctx context.Context, cache, name, pom string) (string, error) {
	return filled(cache, name, pom, func(into string) error { return fetchJars(ctx, into, pom) })
}

// Packages returns the directory in the cache, called by the name and Python's version, which pip fills once with the packages of
// a file of requirements. python3 finds them there by PYTHONPATH.
func Packages(ctx context.Context, cache, name, requirements string) (string, error) {
	version, err := findPython(ctx)
	if err != nil {
		return "", err
	}
	return filled(cache, name+"-"+version, requirements, func(into string) error {
		fmt.Fprintln(os.Stderr, "fetching the packages of", requirements, "with pip")
		cmd := exec.CommandContext(ctx, "python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", into,
			"--requirement", requirements)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("fetch the packages of %s: %w\n%s", requirements, err, out)
		}
		return nil
	})
}

// filled returns the directory name in the cache, which fetch fills once with what a file lists. A copy of the list inside says
// for which one it was filled.
func filled(cache, name, list string, fetch func(into string) error) (string, error) {
	want, err := os.ReadFile(list)
	if err != nil {
		return "", err
	}
	dir, err := filepath.Abs(filepath.Join(cache, name))
	if err != nil {
		return "", err
	}
	copied := filepath.Base(list)
	if have, err := os.ReadFile(filepath.Join(dir, copied)); err == nil && bytes.Equal(have, want) {
		return dir, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), name+"-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh) // gone after the rename
	if err := fetch(fresh); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(fresh, copied), want, 0o644); err != nil {
		return "", err
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	return dir, os.Rename(fresh, dir) // whole or not at all, so that an interrupted download leaves nothing behind
}

func fetchJars(ctx context.Context, into, pom string) error {
	mvn, err := findMaven(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "fetching the jars of", pom, "with Maven")
	cmd := exec.CommandContext(ctx, mvn, "-B", "-q", "-f", pom, "dependency:copy-dependencies", "-DincludeScope=runtime",
		"-DoutputDirectory="+into)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("fetch the jars of %s: %w\n%s", pom, err, out)
	}
	return nil
}
