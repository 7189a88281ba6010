// Package release holds what a release is made of: quickly what is written of it, and in a dry run what comes out.
package release

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/unecho/unecho/deploy/dev/deploytest"
)

// config is as much of goreleaser's configuration as is held against the rest of the project.
type config struct {
	Dist   string `json:"dist"`
	Before struct {
		Hooks []string `json:"hooks"`
	} `json:"before"`
	Builds   []struct{ Targets, Flags, Env []string } `json:"builds"`
	Archives []struct {
		Files []struct{ Src string } `json:"files"`
	} `json:"archives"`
	Nfpms []struct {
		Contents []struct{ Src string } `json:"contents"`
	} `json:"nfpms"`
}

func load(t *testing.T) (c config) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deploytest.Root(t), ".goreleaser.yaml"))
	check(t, err)
	check(t, yaml.Unmarshal(text, &c))
	return c
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// platforms are what binaries are made for, as goreleaser writes them in names of files.
func platforms() []string {
	return []string{"darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64", "windows_amd64"}
}

// The configuration builds for all platforms as the image is built, and what it packs is there.
func TestRelease(t *testing.T) {
	t.Parallel()
	c := load(t)
	if len(c.Builds) != 1 || len(c.Archives) != 1 || len(c.Nfpms) != 1 {
		t.Fatalf("there are %d builds, %d archives and %d packages, and not one of each", len(c.Builds), len(c.Archives),
			len(c.Nfpms))
	}
	var targets []string
	for _, target := range c.Builds[0].Targets {
		targets = append(targets, strings.Join(strings.Split(target, "_")[:2], "_"))
	}
	slices.Sort(targets)
	if !slices.Equal(targets, platforms()) {
		t.Errorf("it builds for %v, not for %v", targets, platforms())
	}
	if !slices.Contains(c.Builds[0].Flags, "-trimpath") || !slices.Contains(c.Builds[0].Env, "CGO_ENABLED=0") {
		t.Error("the binary is not static, or has paths of the machine in it")
	}
	hook, _, _ := strings.Cut(c.Before.Hooks[0], " ")
	packed := []string{hook}
	for _, f := range c.Archives[0].Files {
		packed = append(packed, f.Src)
	}
	for _, f := range c.Nfpms[0].Contents {
		packed = append(packed, f.Src)
	}
	if len(packed) < 10 {
		t.Errorf("only %v is packed", packed)
	}
	for _, path := range packed {
		if _, err := os.Stat(filepath.Join(deploytest.Root(t), path)); err != nil &&
			!strings.HasPrefix(path, ".cache/release/") {
			t.Errorf("it packs what is not there: %v", err)
		}
	}
}

// Goreleaser takes the configuration. A dry run, twice: each file that users get is there, holds what it should, and is the same both times; the binary
// for this machine runs.
func TestReleaseLong(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), deploytest.Goreleaser(t), "check")
	cmd.Dir = deploytest.Root(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("goreleaser check: %v\n%s", err, out)
	}
	first := dryRun(t)
	for _, platform := range platforms() {
		checkArchive(t, platform)
	}
	for _, arch := range []string{"amd64", "arm64"} {
		checkPackages(t, arch)
	}
	checkRuns(t)
	if second := dryRun(t); first != second {
		t.Errorf("the same commit gave other files the second time:\n%s\n%s", first, second)
	}
}

// dryRun makes a release that is not published, and returns its checksums.
func dryRun(t *testing.T) string {
	t.Helper()
	tools := []string{filepath.Dir(deploytest.Goreleaser(t)), filepath.Dir(deploytest.Cyclonedx(t)), os.Getenv("PATH")}
	cmd := exec.CommandContext(t.Context(), deploytest.Goreleaser(t), "release", "--snapshot", "--skip=publish,announce", "--clean")
	cmd.Dir = deploytest.Root(t)
	cmd.Env = append(os.Environ(), "PATH="+strings.Join(tools, string(os.PathListSeparator)))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("goreleaser: %v\n%s", err, out)
	}
	sums := dist(t, "checksums.txt")
	for _, line := range strings.Split(strings.TrimSpace(sums), "\n") {
		_, name, _ := strings.Cut(line, "  ")
		dist(t, name)
	}
	return sums
}

// dist is the content of a file of the dry run.
func dist(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deploytest.Root(t), load(t).Dist, name))
	check(t, err)
	return string(text)
}

// named is the one file whose name is unecho, a version, and this end. It has a checksum.
func named(t *testing.T, end string) string {
	t.Helper()
	dir := filepath.Join(deploytest.Root(t), load(t).Dist)
	paths, err := filepath.Glob(filepath.Join(dir, "unecho_*_"+end))
	if err != nil || len(paths) != 1 {
		t.Fatalf("%v end in %s: %v", paths, end, err)
	}
	name := filepath.Base(paths[0])
	if !strings.Contains(dist(t, "checksums.txt"), "  "+name+"\n") {
		t.Errorf("there is no checksum of %s", name)
	}
	return name
}

// missing are those of some names that no path ends in, or whose file is empty.
func missing(files map[string][]byte, names ...string) (none []string) {
	for _, name := range names {
		found := false
		for path, content := range files {
			found = found || (strings.HasSuffix(path, "/"+name) && len(content) > 0)
		}
		if !found {
			none = append(none, name)
		}
	}
	return none
}

func checkArchive(t *testing.T, platform string) {
	t.Helper()
	binary, files := "unecho", map[string][]byte(nil)
	if strings.HasPrefix(platform, "windows") {
		binary = "unecho.exe"
		files = zipped(t, dist(t, named(t, platform+".zip")))
	} else {
		files = tarred(t, dist(t, named(t, platform+".tar.gz")))
	}
	if none := missing(files, binary, "README.md", "LICENSE", "CHANGELOG.md", "unecho.example.yaml", "man/unecho.1",
		"man/unecho-dedup.1",
		"completions/unecho.bash", "completions/unecho.zsh", "completions/unecho.fish",
		"completions/unecho.ps1"); none != nil {
		t.Errorf("the archive for %s lacks %v", platform, none)
	}
	if bom := dist(t, named(t, platform+".cdx.json")); !strings.Contains(bom, `"CycloneDX"`) ||
		!strings.Contains(bom, "pkg:golang/github.com/twmb/franz-go@") {
		t.Errorf("the list of modules for %s does not name franz-go", platform)
	}
}

func checkPackages(t *testing.T, arch string) {
	t.Helper()
	if none := missing(debian(t, dist(t, named(t, "linux_"+arch+".deb"))), "usr/bin/unecho",
		"usr/share/man/man1/unecho.1.gz", "usr/share/doc/unecho/copyright",
		"usr/share/bash-completion/completions/unecho", "usr/share/zsh/vendor-completions/_unecho",
		"usr/share/fish/vendor_completions.d/unecho.fish"); none != nil {
		t.Errorf("the package of Debian for %s lacks %v", arch, none)
	}
	const lead = "\xed\xab\xee\xdb" // how each rpm begins
	if !strings.HasPrefix(dist(t, named(t, "linux_"+arch+".rpm")), lead) {
		t.Errorf("the rpm for %s is none", arch)
	}
}

// checkRuns starts the binary that is for this machine, from its archive. It says the version that its name has.
func checkRuns(t *testing.T) {
	t.Helper()
	platform := host()
	if !slices.Contains(platforms(), platform) || strings.HasPrefix(platform, "windows") {
		t.Fatalf("no archive for %s can be tried here: run this on Linux or macOS", platform)
	}
	for path, content := range tarred(t, dist(t, named(t, platform+".tar.gz"))) {
		if filepath.Base(path) != "unecho" {
			continue
		}
		binary := filepath.Join(t.TempDir(), "unecho")
		check(t, os.WriteFile(binary, content, 0o700))
		out, err := exec.CommandContext(t.Context(), binary, "version").CombinedOutput()
		want := fmt.Sprintf(" %s\n", strings.Replace(platform, "_", "/", 1))
		if err != nil || !strings.HasPrefix(string(out), "unecho v") || !strings.HasSuffix(string(out), want) {
			t.Errorf("version says %q, %v", out, err)
		}
	}
}
