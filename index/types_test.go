package index

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mostMethods bounds the methods of a type, with those of the types of this package that it embeds. One with more hides
// another type.
const mostMethods = 50

// TestTypesAreSmall: no type of the package and its rooms has many methods, its own or by what it embeds.
func TestTypesAreSmall(t *testing.T) {
	for dir, owner := range map[string]string{".": "Replica", "window": "Window", "compare": "Comparer"} {
		t.Run(owner, func(t *testing.T) { areSmall(t, dir, owner) })
	}
}

func areSmall(t *testing.T, dir, owner string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	methods, embeds := map[string]int{}, map[string][]string{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv != nil {
					methods[nameOf(n.Recv.List[0].Type)]++
				}
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok {
					for _, f := range s.Fields.List {
						if len(f.Names) == 0 {
							embeds[n.Name.Name] = append(embeds[n.Name.Name], nameOf(f.Type))
						}
					}
				}
			}
			return true
		})
	}
	var all func(string) int
	all = func(name string) int {
		n := methods[name]
		for _, embedded := range embeds[name] {
			n += all(embedded)
		}
		return n
	}
	for name := range methods {
		if n := all(name); n > mostMethods {
			t.Errorf("type %s has %d methods, want %d at most", name, n, mostMethods)
		}
	}
	if methods[owner] < 10 {
		t.Errorf("%s has %d methods: want those of the whole package", owner, methods[owner])
	}
}

// nameOf is the name of a type of this package; empty: it is of another one.
func nameOf(e ast.Expr) string {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}
