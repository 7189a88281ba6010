package docs

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// make test leaves out the tests whose names end in Long, and runs the short form of each. A test that has none is
// called so by mistake.
func TestLongTestsHaveAShortForm(t *testing.T) {
	tests, long := declaredTests(t, "cmd", "config", "consumer", "deploy", "index", "sink"), 0
	for name := range tests {
		short, found := strings.CutSuffix(name, "Long")
		if !found {
			continue
		}
		if long++; !tests[short] {
			t.Errorf("%s ends in Long, and there is no %s", name, filepath.Base(short))
		}
	}
	if long < 20 {
		t.Errorf("only %d long tests found: are they still declared so?", long)
	}
}

// declaredTests are the tests below some directories, each as directory/name.
func declaredTests(t *testing.T, below ...string) map[string]bool {
	t.Helper()
	declared, tests := regexp.MustCompile(`(?m)^func (Test\w+)\(\w+ \*testing\.T\)`), map[string]bool{}
	for _, dir := range below {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
				tests[filepath.Join(filepath.Dir(path), m[1])] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return tests
}

// make test-sample names tests. One that was renamed would fall out of it in silence.
func TestSampleNamesTests(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		variable string
		packages []string
		named    int
	}{
		{"SAMPLE_RACE", []string{"consumer", "index", "cmd/internal/api"}, 15},
		{"SAMPLE_LONG", []string{"consumer/protocol/sim", "index"}, 2},
	} {
		line := regexp.MustCompile(`(?m)^` + c.variable + ` += (.*)$`).FindStringSubmatch(string(text))
		if line == nil {
			t.Fatalf("the Makefile has no %s", c.variable)
		}
		group := regexp.MustCompile(`\((.+)\)(\w*)\$\$$`).FindStringSubmatch(line[1])
		if group == nil {
			t.Fatalf("%s is %q, want names in parentheses", c.variable, line[1])
		}
		tests, named := declaredTests(t, c.packages...), strings.Split(group[1], "|")
		for _, name := range named {
			is := regexp.MustCompile(`/Test` + name + group[2] + `$`)
			if !slices.ContainsFunc(slices.Collect(maps.Keys(tests)), is.MatchString) {
				t.Errorf("%s names Test%s%s, and there is no such test in %v", c.variable, name, group[2], c.packages)
			}
		}
		if len(named) < c.named {
			t.Errorf("%s names %d tests, want %d and more", c.variable, len(named), c.named)
		}
	}
}
