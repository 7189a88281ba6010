//go:build unix

package docs

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/deploy/dev/testbed"
)

// Snippets of joins.md print what the page shows, in pandas and DuckDB.
func TestJoins(t *testing.T) { joins(t, "pandas", 3) }

// Spark's does, too. It is 400 MB.
func TestJoinsLong(t *testing.T) { joins(t, "spark", 1) }

// joins runs the snippets of a kind, of which there are so many, behind the command of the page.
func joins(t *testing.T, kind string, number int) {
	t.Helper()
	t.Parallel()
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
	defer stop()
	page := read(t, "deploy/docs/joins.md")
	packages, python, err := testbed.Packages(ctx, filepath.Join(root, ".cache"), "python-"+kind,
		filepath.Join(root, "deploy/dev/joins", kind+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	bin, dir := program(t), t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "deploy/examples"))); err != nil {
		t.Fatal(err)
	}
	_, command, _ := strings.Cut(page, "```sh\n")
	command, _, _ = strings.Cut(command, "\n```")
	if out, err := shell(ctx, bin, dir, command).CombinedOutput(); err != nil {
		t.Fatalf("joins.md: the command %s ends with %v, and prints\n%s", command, err, out)
	}
	var code, want strings.Builder
	found := regexp.MustCompile("(?s)<!-- "+kind+" -->\n```python\n(.*?)```\n\n```text\n(.*?)```\n").FindAllStringSubmatch(page, -1)
	for _, m := range found {
		code.WriteString(m[1])
		want.WriteString(m[2])
	}
	if err := os.WriteFile(filepath.Join(dir, "snippets.py"), []byte(code.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := shell(ctx, bin, dir, python+" snippets.py")
	cmd.Env = append(slices.Clip(cmd.Env), "PYTHONPATH="+packages)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil || len(found) != number || string(out) != want.String() {
		t.Errorf("the %d snippets of joins.md for %s end with %v, want %d; they print\n%s\nand the page shows\n%s\n%s", len(found), kind,
			err, number, out, want.String(), problems.String())
	}
}
