//go:build unix

package testbed

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// NewRegistry makes a registry of schemas, an Apicurio that keeps them in memory. It returns its address. The caller
// starts it.
func NewRegistry(ctx context.Context, at Files) (s *Server, address string, err error) {
	java, err := findJava(ctx)
	if err != nil {
		return nil, "", err
	}
	fetched, err := Jars(ctx, at.Cache, "registry", filepath.Join(filepath.Dir(at.POM), "registry.xml"))
	if err != nil {
		return nil, "", err
	}
	jar, err := unpacked(ctx, fetched)
	if err != nil {
		return nil, "", err
	}
	ports, err := freePorts(ctx, 1)
	if err != nil {
		return nil, "", err
	}
	dir := filepath.Join(at.Dir, "registry")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, "", err
	}
	address = "http://" + local(ports[0])
	return &Server{
		Name: "registry", Log: filepath.Join(dir, "registry.log"), stopSignal: syscall.SIGKILL, // nobody wants its data
		args: []string{
			java, "-Xmx384m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Djava.awt.headless=true",
			"-Dquarkus.http.host=127.0.0.1", fmt.Sprintf("-Dquarkus.http.port=%d", ports[0]), "-jar", jar,
		},
		ready: func(ctx context.Context) error { return registryAnswers(ctx, address) },
	}, address, nil
}

// unpacked returns the jar of the archive that was fetched, which is unpacked once, beside it.
func unpacked(ctx context.Context, dir string) (string, error) {
	find := func() []string {
		jars, _ := filepath.Glob(filepath.Join(dir, "app", "*-runner.jar")) // the pattern is well-formed
		return jars
	}
	if jars := find(); len(jars) == 1 {
		return jars[0], nil
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tar.gz"))
	if err != nil || len(archives) != 1 {
		return "", fmt.Errorf("%s holds %d archives, and should hold one: remove it", dir, len(archives))
	}
	fresh, err := os.MkdirTemp(dir, "app-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh) // gone after the rename
	if out, err := exec.CommandContext(ctx, "tar", "xzf", archives[0], "-C", fresh).CombinedOutput(); err != nil {
		return "", fmt.Errorf("unpack %s: %w\n%s", archives[0], err, out)
	}
	if err := os.Rename(fresh, filepath.Join(dir, "app")); err != nil && len(find()) == 0 {
		return "", err
	}
	jars := find()
	if len(jars) != 1 {
		return "", fmt.Errorf("%s has no runner: %s", archives[0], strings.Join(jars, ", "))
	}
	return jars[0], nil
}

// registryAnswers asks for what the tests ask first, through the interface of Confluent's.
func registryAnswers(ctx context.Context, address string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/apis/ccompat/v7/schemas/types", nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the registry answers %s", answer.Status)
	}
	return nil
}
