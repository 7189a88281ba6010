package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A test or a benchmark that a page names is one that there is. reliability.md names tests as evidence.
func TestPagesNameTests(t *testing.T) {
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
	named := regexp.MustCompile("(?:`|-run )(Test[A-Za-z0-9]+)|`(Benchmark[A-Z][A-Za-z0-9]+)")
	found := map[string]int{}
	for _, page := range documents(t) {
		for _, m := range named.FindAllStringSubmatch(read(t, page), -1) {
			found[page]++
			if name := m[1] + m[2]; !regexp.MustCompile(`func ` + name + `\([tb] \*testing\.[TB]\)`).
				MatchString(tests.String()) {
				t.Errorf("%s names %s, which there is not", page, name)
			}
		}
	}
	if n := found["deploy/docs/reliability.md"]; n < 10 {
		t.Errorf("reliability.md names only %d tests: is it still made of tables with a column for them?", n)
	}
}

// Commands that pages show are targets of make, and their flags those of the program behind them.
func TestPagesShowRealTargets(t *testing.T) {
	makefile, chaos := read(t, "Makefile"), read(t, "deploy/dev/chaos/params.go")
	programs := map[string]string{"chaos": chaos, "soak": chaos, "simulate": `"run"` + read(t, "consumer/protocol/sim/sim_test.go")}
	shown := 0
	for _, page := range documents(t) {
		for _, m := range regexp.MustCompile("(?m)(?:`|^    |^\\$ )make ([a-z-]+)(?: ARGS='([^']*)')?").
			FindAllStringSubmatch(read(t, page), -1) {
			shown++
			if !strings.Contains(makefile, "\n"+m[1]+":") {
				t.Errorf("%s: there is no make %s", page, m[1])
			}
			program, known := programs[m[1]]
			for _, flag := range regexp.MustCompile(`(?:^| )-([a-z-]+)`).FindAllStringSubmatch(m[2], -1) {
				if known && !strings.Contains(program, `"`+flag[1]+`"`) {
					t.Errorf("%s: make %s has no flag -%s", page, m[1], flag[1])
				}
			}
		}
	}
	if shown < 12 {
		t.Errorf("only %d commands are shown", shown)
	}
}
