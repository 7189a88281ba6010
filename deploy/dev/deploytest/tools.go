// Package deploytest is a module of its own for what holds deploy/ true with the modules of Kubernetes, Helm and
// Prometheus, which the product does without. It installs the programs of others that the tests run, each at a
// version of its own, into the project's cache.
package deploytest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

const (
	promtoolVersion   = "v0.316.0"
	goreleaserVersion = "v2.15.2"
	cyclonedxVersion  = "v1.10.0"
	oapiVersion       = "v2.8.2"
)

// Promtool returns Prometheus' own tool, without the services in which it could discover targets.
func Promtool(t testing.TB) string {
	t.Helper()
	return installed(t, "promtool", promtoolVersion, "-tags", "remove_all_sd",
		"github.com/prometheus/prometheus/cmd/promtool@"+promtoolVersion)
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

// Root is the directory of the project.
func Root(t testing.TB) string {
	t.Helper()
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("where is this file?")
	}
	return filepath.Join(filepath.Dir(file), "../../..")
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
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "GOFLAGS=", "GOBIN="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("install %s: %v\n%s", name, err, out)
	}
	return binary
}
