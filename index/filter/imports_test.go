package filter_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/unecho/unecho/"

// TestNoKafka: nothing that the package imports, through whatever of ours, speaks Kafka or HTTP, reads a configuration or
// writes a log: what a program gets with it is the index.
func TestNoKafka(t *testing.T) {
	seen := map[string]bool{}
	follow(t, module+"index/filter", seen)
	if len(seen) < 20 {
		t.Fatalf("only %d imports were followed", len(seen))
	}
	for path := range seen {
		if strings.HasPrefix(path, module) && !strings.HasPrefix(path, module+"index") {
			t.Errorf("%s comes with it, which is not of the index", path)
		}
		for _, foreign := range []string{"github.com/twmb/franz-go", "github.com/jackc", "github.com/minio", "github.com/prometheus", "github.com/rs/zerolog", "github.com/spf13", "go.yaml.in", "net/http"} {
			if path == foreign || strings.HasPrefix(path, foreign+"/") {
				t.Errorf("%s comes with it", path)
			}
		}
	}
}

// follow notes all that a package of ours imports, whatever the platform.
func follow(t *testing.T, path string, seen map[string]bool) {
	t.Helper()
	if seen[path] {
		return
	}
	seen[path] = true
	if !strings.HasPrefix(path, module) {
		return
	}
	dir := filepath.Join("..", "..", filepath.FromSlash(strings.TrimPrefix(path, module)))
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, file.Name()), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			follow(t, name, seen)
		}
	}
}
