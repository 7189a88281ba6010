package docs

import (
	"path/filepath"
	"regexp"
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

// Each configuration that this project shows as a whole file passes what `unecho config check` does.
func TestExampleConfigurations(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "deploy/examples/*.yaml"))
	if err != nil || len(files) < 4 {
		t.Fatalf("the examples are %q (%v)", files, err)
	}
	for _, path := range append(files, filepath.Join(root, "deploy/compose/unecho.yaml")) {
		if _, err := config.Resolve(path, nil, nil); err != nil {
			t.Errorf("the example %s is refused: %v", path, err)
		}
	}
}

// Each configuration of a use loads, and names its command. TestThreeUses runs that.
func TestExamplesOfUse(t *testing.T) {
	for _, use := range []string{"feed-filter", "ingestion-gateway", "backfill"} {
		path := "deploy/examples/" + use + ".yaml"
		loaded, err := config.Resolve(filepath.Join(root, path), nil, nil)
		if err != nil {
			t.Errorf("the example %s is refused: %v", path, err)
			continue
		}
		if n := loaded.Count(config.FromFile); n < 8 {
			t.Errorf("%s: only %d settings come from the file", path, n)
		}
		if command := commandOf(t, use+".yaml"); !strings.HasSuffix(command, " --config "+path) {
			t.Errorf("%s names the command %q, want one with this file", path, command)
		}
	}
}

// commandOf is the command at the head of a file of deploy/examples.
func commandOf(t *testing.T, file string) string {
	t.Helper()
	command := regexp.MustCompile(`(?m)^# (unecho (?:run|backfill) .*)$`).FindStringSubmatch(read(t, "deploy/examples/"+file))
	if command == nil {
		t.Fatalf("%s has no command in its head", file)
	}
	return command[1]
}

// The names of the permissions are those of the example.
func TestPermissionsNameTheExample(t *testing.T) {
	loaded, err := config.Resolve(filepath.Join(root, "deploy/unecho.example.yaml"), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, permissions := loaded.Config, read(t, "deploy/docs/permissions.md")
	unique, duplicate, rejected := c.Sink.Topics(c.Sources[0].Topics[0])
	for _, name := range []string{
		c.Sources[0].Topics[0], unique, duplicate, rejected, c.Consumer.Group, c.Consumer.Group + ".journal", c.Consumer.Group + "/",
	} {
		if !strings.Contains(permissions, "`"+name) {
			t.Errorf("permissions.md does not name %s", name)
		}
	}
}

// What packages and the chart say of where they come from is no placeholder.
func TestPackagesNameTheProject(t *testing.T) {
	for _, file := range []string{".goreleaser.yaml", "deploy/chart/Chart.yaml"} {
		text := read(t, file)
		for _, placeholder := range []string{".invalid", "example.com", "@localhost"} {
			if strings.Contains(text, placeholder) {
				t.Errorf("%s names %s", file, placeholder)
			}
		}
		if !strings.Contains(text, "https://github.com/unecho/unecho") {
			t.Errorf("%s does not name the project", file)
		}
	}
}
