package docs

import (
	"go/ast"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommentsBeginWithTheName: a doc comment that begins with a small letter begins with the name that it documents. The
// linter asks the same of what is exported.
func TestCommentsBeginWithTheName(t *testing.T) {
	t.Parallel()
	checked := 0
	for path, file := range goFiles(t) {
		for _, decl := range file.Decls {
			name, doc := documented(decl)
			first, _, _ := strings.Cut(doc.Text(), " ")
			if first == "" || first[0] < 'a' || first[0] > 'z' {
				continue
			}
			checked++
			if word := strings.TrimRight(first, ":,'\n"); word != name {
				t.Errorf("%s: the comment of %s begins with %q", filepath.ToSlash(path), name, word)
			}
		}
	}
	if checked < 2000 {
		t.Errorf("%d comments were looked at, want at least 2000", checked)
	}
}

// documented is the name of what is declared, if that is one thing, and its comment.
func documented(decl ast.Decl) (name string, doc *ast.CommentGroup) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		return decl.Name.Name, decl.Doc
	case *ast.GenDecl:
		if spec, ok := decl.Specs[0].(*ast.TypeSpec); ok && len(decl.Specs) == 1 {
			return spec.Name.Name, decl.Doc
		}
	}
	return "", nil
}
