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

// Jars returns the directory name in the cache, which Maven fills once with the jars of a POM. A copy of the POM inside
// says for which POM it was filled.
func Jars(ctx context.Context, cache, name, pom string) (string, error) {
	want, err := os.ReadFile(pom)
	if err != nil {
		return "", err
	}
	jars, err := filepath.Abs(filepath.Join(cache, name))
	if err != nil {
		return "", err
	}
	if have, err := os.ReadFile(filepath.Join(jars, "pom.xml")); err == nil && bytes.Equal(have, want) {
		return jars, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(jars), name+"-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh) // gone after the rename
	if err := fetchJars(ctx, fresh, pom); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(fresh, "pom.xml"), want, 0o644); err != nil {
		return "", err
	}
	if err := os.RemoveAll(jars); err != nil {
		return "", err
	}
	return jars, os.Rename(fresh, jars) // whole or not at all, so that an interrupted download leaves nothing behind
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
