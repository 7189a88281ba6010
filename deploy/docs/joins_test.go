//go:build unix

package docs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/deploy/dev/testbed"
)

const (
	joined    = "articles.parquet"
	elsewhere = "a b/1 + 1 %.parquet" // the same rows
)

// Snippets of joins.md print what the page shows, in pandas and DuckDB, whatever index pandas has stored.
func TestJoins(t *testing.T) {
	joins(t, "pandas", 3, "import pandas\nrows = pandas.read_parquet('"+joined+"')\nrows.index += 7\nrows.to_parquet('"+elsewhere+"')\n")
}

// Spark's does, too. It is 400 MB.
func TestJoinsLong(t *testing.T) {
	joins(t, "spark", 1, "import shutil\nshutil.copy('"+joined+"', '"+elsewhere+"')\n")
}

// joins runs the snippets of a kind, of which there are so many, behind the command of the page: on the file of the page, and on
// the one that these lines of Python write.
func joins(t *testing.T, kind string, number int, write string) {
	t.Helper()
	t.Parallel()
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
	defer stop()
	page := read(t, "deploy/docs/joins.md")
	packages, err := testbed.Packages(ctx, filepath.Join(root, ".cache"), "python-"+kind,
		filepath.Join(root, "deploy/dev/joins", kind+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	bin, dir := program(t), t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "deploy/examples"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, filepath.Dir(elsewhere)), 0o700); err != nil {
		t.Fatal(err)
	}
	_, command, _ := strings.Cut(page, "```sh\n")
	command, _, _ = strings.Cut(command, "\n```")
	var code, want strings.Builder
	found := regexp.MustCompile("(?s)<!-- "+kind+" -->\n```python\n(.*?)```\n\n```text\n(.*?)```\n").FindAllStringSubmatch(page, -1)
	for _, m := range found {
		code.WriteString(m[1])
		want.WriteString(m[2])
	}
	python := func(code string) (string, error) {
		cmd := shell(ctx, bin, dir, "python3 -")
		cmd.Env = append(slices.Clip(cmd.Env), "PYTHONPATH="+packages)
		var problems strings.Builder
		cmd.Stdin, cmd.Stderr = strings.NewReader(code), &problems
		out, err := cmd.Output()
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, problems.String())
		}
		return string(out), err
	}
	if _, err := python(write); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{joined, elsewhere} {
		command := strings.ReplaceAll(command, joined, "'"+path+"'")
		if out, err := shell(ctx, bin, dir, command).CombinedOutput(); err != nil {
			t.Fatalf("joins.md: the command %s ends with %v, and prints\n%s", command, err, out)
		}
		out, err := python(strings.ReplaceAll(code.String(), joined, path))
		if err != nil || len(found) != number || out != want.String() {
			t.Errorf("the %d snippets of joins.md for %s end on %s with %v, want %d; they print\n%s\nand the page shows\n%s", len(found),
				kind, path, err, number, out, want.String())
		}
	}
}
