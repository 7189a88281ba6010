package corpus_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/corpus"
)

// TestIncluded: of a directory, patterns say which files are read; without them, those of columns, or else texts.
func TestIncluded(t *testing.T) {
	dir := t.TempDir()
	data, err := os.ReadFile(tables + "v1.parquet")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"a.txt": "one", "b.md": "two", "sub/c.md": "three", "sub/d.jsonl": "{\"text\":\"four\"}\n", "state.json": "{}",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		include []string
		want    []string
	}{
		{nil, []string{"a.txt 0 [] one"}},
		{[]string{"*.md"}, []string{"b.md 0 [] two", "c.md 0 [] three"}},
		{[]string{"sub/*.md", "*.jsonl"}, []string{"c.md 0 [] three", "d.jsonl 1 [] four"}},
		{[]string{"b.*", "[a]*"}, []string{"a.txt 0 [] one", "b.md 0 [] two"}},
	} {
		sources, _, err := corpus.Files([]string{dir}, test.include...)
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := readSources(t, corpus.DefaultParams(), sources); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, %v; want %q", test.include, got, err, test.want)
		}
	}
	for _, include := range []string{"*.pdf", "["} {
		if _, _, err := corpus.Files([]string{dir}, include); err == nil || !strings.Contains(err.Error(), "--include "+include) {
			t.Errorf("Files with --include %s says %v; want an error that names it", include, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "sub", "data-0.parquet"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _, err := read(t, corpus.DefaultParams(), dir); err != nil || len(got) != 7 || !strings.HasPrefix(got[0], "data-0.parquet 1 [a0] one") {
		t.Errorf("the directory reads as %q, error %v; want the 7 rows of data-0.parquet and no error", got, err)
	}
}

// TestZeros: names that end with zeros may have line breaks, and bytes that are no UTF-8.
func TestZeros(t *testing.T) {
	dir := t.TempDir()
	names := []string{"a\nb.txt", "caf\xe9.txt", "c\r"}
	list := ""
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
			t.Skipf("this file system has no such names: %v", err)
		}
		list += path + "\x00"
	}
	got, _, err := readSources(t, corpus.DefaultParams(), corpus.Listed(strings.NewReader(strings.TrimSuffix(list, "\x00")), 0))
	want := []string{names[0] + " 0 [] text", names[1] + " 0 [] text", names[2] + " 0 [] text"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("files listed between zeros read as %q, error %v; want %q and no error", got, err, want)
	}
}

// TestDialects: other delimiters, and quotation marks that stand anywhere.
func TestDialects(t *testing.T) {
	for _, test := range []struct {
		name, content string
		comma         byte
		lenient       bool
		want          []string
	}{
		{"a.csv", "text;x\na,b;1\n\"c;d\";2\n", ';', false, []string{"a.csv 1 [] a,b", "a.csv 2 [] c;d"}},
		{"a.tsv", "text\tx\n\"a\tb\"\t1\n", '\t', false, []string{"a.tsv 1 [] a\tb"}},
		{"a.dat", "text|x\na|1\n", '|', false, []string{"a.dat 1 [] a"}},
		{"a.jsonl", "{\"text\":\"a|b\"}\n", '|', false, []string{"a.jsonl 1 [] a|b"}},
		{"a.csv", "text,x\nan 8\" disk,1\n\"one \"two\" three\",2\n", 0, true, []string{"a.csv 1 [] an 8\" disk", "a.csv 2 [] one \"two\" three"}},
	} {
		p := corpus.DefaultParams()
		p.Comma, p.Lenient = test.comma, test.lenient
		if got, _, err := read(t, p, file(t, test.name, test.content)); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, %v; want %q", test.content, got, err, test.want)
		}
	}
	p := corpus.DefaultParams()
	p.Comma = '"'
	if _, _, err := read(t, p, file(t, "a.csv", "")); err == nil || !strings.Contains(err.Error(), "--delimiter") {
		t.Errorf("reading with a quote as the delimiter says %v; want an error that names --delimiter", err)
	}
}
