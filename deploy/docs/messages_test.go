package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A failure is read by those who did not write the test, so its message needs words. No linter finds that without a
// module (ruleguard's) that the go.mod of all three modules would have to name.
func TestMessagesHaveWords(t *testing.T) {
	files := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, call := range wordless(file) {
			t.Errorf("%s: the message of a test has no word: say what was seen and what was expected", files.Position(call.Pos()))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What TestMessagesHaveWords finds, and what it leaves alone.
func TestWordlessMessages(t *testing.T) {
	for message, want := range map[string]bool{
		`t.Errorf("%s: %+v, %v", name, got, err)`: true, `t.Fatalf("%[1]d", n)`: true, `w.t.Fatalf("%v", err)`: true,
		`b.Error(got)`: true, `t.Fatal(got, err)`: true, `x.t.Fatal(n)`: true, "t.Errorf(`%d -> %5.2f`, n, x)": true,
		`t.Errorf("got %v", got)`: false, `t.Fatal(err)`: false, `t.Error(m.err)`: false, `t.Error(report.String())`: false,
		`t.Fatal("no output: " + out)`: false, `t.Error("a", got)`: true, `t.Error(got, "is what it says")`: false,
		`t.Errorf(format, got)`: false, `fmt.Errorf("%s: %w", name, err)`: false, `log.Error()`: false,
		`t.Log(got)`: false, `t.Errorf("%s\n\x41", got)`: true,
	} {
		text := "package p\nimport \"testing\"\nfunc f() { " + message + " }"
		file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(wordless(file)) > 0; got != want {
			t.Errorf("%s is found to be without words: %t, want %t", message, got, want)
		}
	}
}

// A verb of a format, and a word.
var (
	formatVerb = regexp.MustCompile(`%[-+# 0-9.*\[\]]*[a-zA-Z%]`)
	aWord      = regexp.MustCompile(`\pL{2,}`)
)

// wordless returns the calls that fail a test without a word. What a variable holds or a call returns is not known here,
// and an error has words of its own.
func wordless(file *ast.File) (found []*ast.CallExpr) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !slices.Contains([]string{"t", "b", "f", "tb"}, nameOf(method.X)) {
			return true
		}
		switch method.Sel.Name {
		case "Errorf", "Fatalf":
			if format, ok := call.Args[0].(*ast.BasicLit); ok && !hasWord(format) {
				found = append(found, call)
			}
		case "Error", "Fatal":
			if !slices.ContainsFunc(call.Args, hasWord) && (len(call.Args) > 1 || !speaks(call.Args[0])) {
				found = append(found, call)
			}
		}
		return true
	})
	return found
}

// nameOf is the last name of a variable or of a field.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// hasWord says whether a word stands in a text within an expression, outside of the verbs.
func hasWord(e ast.Expr) (has bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
			said, _ := strconv.Unquote(text.Value) // what the parser took can be unquoted
			has = has || aWord.MatchString(formatVerb.ReplaceAllString(said, ""))
		}
		return true
	})
	return has
}

// speaks says whether a value alone is a message: an error, or what a call returns.
func speaks(e ast.Expr) bool {
	_, call := e.(*ast.CallExpr)
	return call || strings.HasSuffix(strings.ToLower(nameOf(e)), "err")
}
