// Package deploytest is a module of its own for what holds deploy/ true with the modules of Kubernetes, Helm and
// Prometheus, which the product does without. It installs the programs of others that the tests run, each at a
// version of its own, into the project's cache.
package deploytest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const (
	goreleaserVersion = "v2.15.2"
	cyclonedxVersion  = "v1.10.0"
	oapiVersion       = "v2.8.2"
	openapiVersion    = "v0.16.3"
)

// Promtool returns Prometheus' own tool: that of the machine, or of Debian's package, which is unpacked and not
// installed, so that no server starts.
func Promtool(t testing.TB) string {
	t.Helper()
	if path, err := exec.LookPath("promtool"); err == nil {
		return path
	}
	dir := filepath.Join(Root(t), ".cache/bin/prometheus")
	tool := filepath.Join(dir, "usr/bin/promtool")
	if _, err := os.Stat(tool); err == nil {
		return tool
	}
	out, err := unpack(t, "prometheus", dir)
	if err != nil {
		t.Fatalf("promtool is missing: `brew install prometheus` on macOS, `sudo apt-get install prometheus` on Debian: %v\n%s", err, out)
	}
	return tool
}

// unpack unpacks a package of Debian into a directory. Where the lists of packages are not there, root fetches them.
func unpack(t testing.TB, name, dir string) (out []byte, err error) {
	t.Helper()
	tmp := t.TempDir()
	for _, step := range []string{"apt-get download -qq " + name, "apt-get update -qq", "apt-get download -qq " + name} {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", step)
		cmd.Dir = tmp
		if out, err = cmd.CombinedOutput(); err == nil && step != "apt-get update -qq" {
			break
		}
	}
	if err != nil {
		return out, err
	}
	const step = `dpkg -x ./*.deb "$0.part" && mv "$0.part" "$0"` // what was killed midway is not taken for whole
	cmd := exec.CommandContext(t.Context(), "sh", "-c", step, dir)
	cmd.Dir = tmp
	return cmd.CombinedOutput()
}

// Goreleaser returns the program that makes releases.
func Goreleaser(t testing.TB) string {
	t.Helper()
	return installed(t, "goreleaser", goreleaserVersion, "github.com/goreleaser/goreleaser/v2@"+goreleaserVersion)
}

// Cyclonedx returns the program that lists the modules of a binary.
func Cyclonedx(t testing.TB) string {
	t.Helper()
	return installed(t, "cyclonedx-gomod", cyclonedxVersion, "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@"+
		cyclonedxVersion)
}

// OapiCodegen returns a program that generates clients from descriptions of APIs.
func OapiCodegen(t testing.TB) string {
	t.Helper()
	return installed(t, "oapi-codegen", oapiVersion, "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@"+
		oapiVersion)
}

// OpenAPIValidator returns a program that holds descriptions of APIs against the schema that OpenAPI has of them.
func OpenAPIValidator(t testing.TB) string {
	t.Helper()
	return installed(t, "validate", openapiVersion, "github.com/pb33f/libopenapi-validator/cmd/validate@"+openapiVersion)
}

// Root is the directory of the project.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, found := os.Stat(filepath.Join(dir, "deploy/dev/deploytest")); found == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			err = os.ErrNotExist
		}
	}
	t.Fatalf("the project is not around this directory: %v", err)
	return ""
}

// installed returns a program, and installs it if this version of it is not there. That takes minutes, once.
func installed(t testing.TB, name, version string, args ...string) string {
	t.Helper()
	dir := filepath.Join(Root(t), ".cache/bin", name+"-"+version)
	binary := filepath.Join(dir, name)
	if _, err := os.Stat(binary); err == nil {
		return binary
	}
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"install"}, args...)...)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "GOFLAGS=-trimpath", "GOBIN="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("install %s: %v\n%s", name, err, out)
	}
	return binary
}
