package docs

import (
	"go/ast"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A word with several meanings in English has one in the names of the program, and only where the glossary allows it.
func TestWordsMeanOneThing(t *testing.T) {
	t.Parallel()
	allowed := guardedWords(t)
	parts := regexp.MustCompile(`[A-Z]+[a-z]*|[a-z]+`)
	for path, file := range goFiles(t) {
		pkg := filepath.ToSlash(filepath.Dir(path))
		for _, decl := range file.Decls {
			for _, name := range namesOf(decl) {
				for _, part := range parts.FindAllString(name, -1) {
					packages, guarded := allowed[strings.ToLower(part)]
					if guarded && !isBelow(pkg, packages) {
						t.Errorf("%s: the name %s uses the word %q, which glossary.md allows in these packages only: %v",
							path, name, strings.ToLower(part), packages)
					}
				}
			}
		}
	}
}

// guardedWords are the words of the glossary's last table, with the packages that may use them.
func guardedWords(t *testing.T) map[string][]string {
	t.Helper()
	_, table, found := strings.Cut(read(t, "deploy/docs/glossary.md"), "\n| in names | means | packages |\n")
	if !found {
		t.Fatal("glossary.md has no table of the words that names may use in some packages only")
	}
	words := map[string][]string{}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || strings.Contains(cells[0], "---") {
			continue
		}
		packages := strings.Fields(strings.ReplaceAll(cells[2], "`", ""))
		for word := range strings.FieldsSeq(strings.ReplaceAll(cells[0], "`", "")) {
			words[word] = packages
		}
	}
	if len(words) < 20 {
		t.Fatalf("the table has %d words, want at least 20: is it still one of three columns?", len(words))
	}
	return words
}

// isBelow says whether a package is one of these or in a directory below one.
func isBelow(pkg string, packages []string) bool {
	for _, p := range packages {
		if pkg == p || strings.HasPrefix(pkg, p+"/") {
			return true
		}
	}
	return false
}

// namesOf are the names of the types, functions, constants and package variables that a declaration has.
func namesOf(decl ast.Decl) (names []string) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		names = append(names, decl.Name.Name)
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, spec.Name.Name)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}
