package docs

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/unecho/unecho/config"
)

// The example passes what `unecho config check` does.
func TestExampleConfiguration(t *testing.T) {
	loaded, err := config.Resolve(filepath.Join(root, "deploy/unecho.example.yaml"), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := loaded.Count(config.FromFile); n < 15 {
		t.Errorf("only %d settings come from the file", n)
	}
}

// The names of the permissions are those of the example.
func TestPermissionsNameTheExample(t *testing.T) {
	loaded, err := config.Resolve(filepath.Join(root, "deploy/unecho.example.yaml"), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, permissions := loaded.Config, read(t, "deploy/docs/permissions.md")
	unique, duplicate, rejected := c.Sink.Topics(c.Source.Topics[0])
	for _, name := range []string{
		c.Source.Topics[0], unique, duplicate, rejected, c.Consumer.Group, c.Consumer.Group + ".journal", c.Consumer.Group + "/",
	} {
		if !strings.Contains(permissions, "`"+name) {
			t.Errorf("permissions.md does not name %s", name)
		}
	}
}

// The line that builds the binary of the image does, and what comes out needs nothing from the system but its kernel.
func TestDockerfileBuildsAStaticBinary(t *testing.T) {
	line := regexp.MustCompile(`(?m)^\s*CGO_ENABLED=0 GOOS=\$TARGETOS GOARCH=\$TARGETARCH (go build .*) -o /out/unecho (\./\S+)`).
		FindStringSubmatch(read(t, "deploy/Dockerfile"))
	if line == nil {
		t.Fatal("the Dockerfile builds in a way that this test does not know")
	}
	binary := filepath.Join(t.TempDir(), "unecho")
	args := strings.Fields(strings.ReplaceAll(line[1], "'-s -w'", "-s\x00-w")) // one argument
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "\x00", " ")
	}
	build := exec.CommandContext(t.Context(), args[0], append(args[1:], "-o", binary, line[2])...)
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+runtime.GOARCH, "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("it asks for a dynamic loader")
		}
	}
	if runtime.GOOS != "linux" {
		return
	}
	out, err := exec.CommandContext(t.Context(), binary, "version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "unecho ") {
		t.Errorf("version says %q, %v", out, err)
	}
}
