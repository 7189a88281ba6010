package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A test that the page names as evidence is one that runs.
func TestReliabilityNamesTests(t *testing.T) {
	var tests strings.Builder
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		tests.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(Test[A-Za-z0-9]+)").FindAllStringSubmatch(read(t, "deploy/docs/reliability.md"), -1)
	if len(named) < 10 {
		t.Errorf("only %d tests are named: is the page still made of tables with a column for them?", len(named))
	}
	for _, m := range named {
		if !strings.Contains(tests.String(), "func "+m[1]+"(t *testing.T)") {
			t.Errorf("there is no %s", m[1])
		}
	}
}

// The commands that the page shows are targets of make, and their flags those of the program behind them.
func TestReliabilityShowsRealCommands(t *testing.T) {
	makefile, chaos := read(t, "Makefile"), read(t, "deploy/dev/chaos/params.go")
	programs := map[string]string{"chaos": chaos, "soak": chaos, "simulate": read(t, "deploy/dev/simulate/main.go")}
	shown := regexp.MustCompile(`make ([a-z-]+)(?: ARGS='([^']*)')?`).FindAllStringSubmatch(read(t, "deploy/docs/reliability.md"), -1)
	if len(shown) < 2 {
		t.Errorf("only %d commands are shown", len(shown))
	}
	for _, m := range shown {
		if !strings.Contains(makefile, "\n"+m[1]+":") {
			t.Errorf("there is no make %s", m[1])
		}
		for _, flag := range regexp.MustCompile(`(?:^| )-([a-z-]+)`).FindAllStringSubmatch(m[2], -1) {
			if !strings.Contains(programs[m[1]], `"`+flag[1]+`"`) {
				t.Errorf("make %s has no flag -%s", m[1], flag[1])
			}
		}
	}
}
