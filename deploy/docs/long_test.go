package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// make test leaves out the tests whose names end in Long, and runs the short form of each. A test that has none is
// called so by mistake.
func TestLongTestsHaveAShortForm(t *testing.T) {
	tests, long := declaredTests(t, "cmd", "config", "consumer", "deploy", "index", "internal", "sink"), 0
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
