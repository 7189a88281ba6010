package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// mostMethods bounds the methods of a type, with those of the types of its package that it embeds: one with more hides
// another type. An exception is of a package, or of one type.
var mostMethods = map[string]int{
	"":         50,
	"consumer": 25,
	// The oracle, and the world around the members, are of one piece.
	"index/naive.Twin":      85,
	"consumer/protocol/sim": 220,
	// Each method is a check.
	"consumer/audit.audit":   61,
	"consumer/doctor.target": 56,
}

// typesOf are the methods and the embedded types of the types of a package.
type typesOf struct {
	methods map[string]int
	embeds  map[string][]string
}

// TestTypesAreSmall: no type has many methods, its own or by what it embeds.
func TestTypesAreSmall(t *testing.T) {
	packages := map[string]*typesOf{}
	for path, file := range goFiles(t) {
		dir := filepath.ToSlash(filepath.Dir(path))
		if packages[dir] == nil {
			packages[dir] = &typesOf{map[string]int{}, map[string][]string{}}
		}
		packages[dir].add(file)
	}
	for dir, all := range packages {
		for name := range all.methods {
			most := mostMethods[""]
			for _, exception := range []string{dir, dir + "." + name} {
				if n, ok := mostMethods[exception]; ok {
					most = n
				}
			}
			if n := all.count(name); n > most {
				t.Errorf("%s: type %s has %d methods, want %d at most", dir, name, n, most)
			}
		}
	}
	for dir, owner := range map[string]string{"index": "Replica", "index/window": "Window", "consumer": "Service"} {
		if n := packages[dir].count(owner); n < 5 {
			t.Errorf("%s: %s has %d methods: want those of the whole package", dir, owner, n)
		}
	}
}

func (p *typesOf) add(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv != nil {
				p.methods[typeName(n.Recv.List[0].Type)]++
			}
		case *ast.TypeSpec:
			if s, ok := n.Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					if len(f.Names) == 0 {
						p.embeds[n.Name.Name] = append(p.embeds[n.Name.Name], typeName(f.Type))
					}
				}
			}
		}
		return true
	})
}

func (p *typesOf) count(name string) int {
	n := p.methods[name]
	for _, embedded := range p.embeds[name] {
		n += p.count(embedded)
	}
	return n
}

// typeName is the name of a type of the package at hand; empty: it is of another one.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// goFiles are the program's files without tests, by their paths.
func goFiles(t *testing.T) map[string]*ast.File {
	t.Helper()
	files, set := map[string]*ast.File{}, token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err == nil {
			files[name], err = parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
