package docs

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A message that the runbook explains is one that the program writes: its pieces stand together in one file.
func TestRunbookMessagesExist(t *testing.T) {
	program := sources(t, "cmd", "consumer", "index", "sink")
	rows := runbookRows(t)
	if len(rows) < 20 {
		t.Fatalf("only %d messages in the runbook: is it still made of tables?", len(rows))
	}
	for _, message := range rows {
		if !together(program, strings.Split(message, "…")) {
			t.Errorf("no file of the program writes %q", message)
		}
	}
}

// runbookRows are the messages that have a row: all that stand in code in the first cell, if that begins with code.
func runbookRows(t *testing.T) (messages []string) {
	t.Helper()
	_, tables, _ := strings.Cut(read(t, "deploy/docs/runbook.md"), "## It does not start")
	for _, cell := range regexp.MustCompile("(?m)^\\| (`[^|]*) \\|").FindAllStringSubmatch(tables, -1) {
		for _, code := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell[1], -1) {
			messages = append(messages, code[1])
		}
	}
	return messages
}

func together(program map[string]string, pieces []string) bool {
	for _, text := range program {
		all := true
		for _, piece := range pieces {
			all = all && strings.Contains(text, strings.TrimSpace(piece))
		}
		if all {
			return true
		}
	}
	return false
}

// A message that ends the process names its remedy. It has a row exactly where that remedy gives something up (it
// deletes, accepts a loss or sets offsets) or suspects a machine: the runbook says what is lost, and what to look at
// before.
func TestRunbookHasEveryStop(t *testing.T) {
	rows := runbookRows(t)
	stops, wanted := 0, 0
	for path, file := range goFiles(t) {
		if !isBelow(path, []string{"cmd", "consumer"}) {
			continue
		}
		for _, decl := range file.Decls {
			for _, s := range stopsOf(decl) {
				stops++
				if s.remedy == "" {
					t.Errorf("%s: %q has no remedy", path, s.what)
				}
				has := func(row string) bool { return s.isIn(row) }
				if givesUp.MatchString(s.remedy) {
					wanted++
					has = func(row string) bool { return strings.Contains(row, longest(s.what)) }
				}
				if found := slices.ContainsFunc(rows, has); found != givesUp.MatchString(s.remedy) {
					t.Errorf("%s: %q has a row in the runbook: %t, want the opposite: %s", path, s.what, found, s.remedy)
				}
			}
		}
	}
	if stops < 100 || wanted < 20 {
		t.Errorf("%d of stop.Error found, %d of them with a row: are they still written so?", stops, wanted)
	}
}

// givesUp finds in a remedy what must be decided with more knowledge than a message has.
var givesUp = regexp.MustCompile(`--accept-|\bdelete\b|GoneRemedy|\breset\b|offsets back|suspect`)

// stopping is a stop.Error: the pieces of what it says, and all that stands in its remedy, names included.
type stopping struct {
	what   []string
	remedy string
}

// isIn says whether a row of the runbook is of this message: it has all its pieces.
func (s stopping) isIn(row string) bool {
	for _, piece := range s.what {
		if !strings.Contains(row, piece) {
			return false
		}
	}
	return len(s.what) > 0
}

func stopsOf(decl ast.Decl) (found []stopping) {
	ast.Inspect(decl, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		if kind, ok := lit.Type.(*ast.SelectorExpr); !ok || nameOf(kind.X) != "stop" || kind.Sel.Name != "Error" {
			return true
		}
		var s stopping
		for _, e := range lit.Elts {
			switch field := e.(*ast.KeyValueExpr); nameOf(field.Key) {
			case "What":
				s.what = pieces(literals(field.Value))
				if name, ok := field.Value.(*ast.Ident); ok {
					s.what = pieces(assigned(decl, name.Name))
				}
			case "Remedy":
				s.remedy = strings.Join(literals(field.Value), "") + " " + strings.Join(namesIn(field.Value), " ")
			}
		}
		found = append(found, s)
		return true
	})
	return found
}

// literals are the texts within an expression. Those of one sum make one text.
func literals(e ast.Node) (texts []string) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			left, lok := n.X.(*ast.BasicLit)
			right, rok := n.Y.(*ast.BasicLit)
			if lok && rok {
				texts = append(texts, unquoted(left)+unquoted(right))
				return false
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				texts = append(texts, unquoted(n))
			}
		}
		return true
	})
	return texts
}

func unquoted(lit *ast.BasicLit) string {
	text, _ := strconv.Unquote(lit.Value) // what the parser took can be unquoted
	return text
}

// assigned are the texts that a variable is first given in a function.
func assigned(decl ast.Decl, name string) (texts []string) {
	ast.Inspect(decl, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.DEFINE && nameOf(a.Lhs[0]) == name {
			texts = append(texts, literals(a.Rhs[0])...)
		}
		return true
	})
	return texts
}

// namesIn are the names that an expression uses.
func namesIn(e ast.Node) (names []string) {
	ast.Inspect(e, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			names = append(names, name.Name)
		}
		return true
	})
	return names
}

// pieces are what stands between the verbs of formats.
func pieces(texts []string) (found []string) {
	for _, text := range texts {
		for _, piece := range regexp.MustCompile(`%[0-9]*[a-z]|\n`).Split(text, -1) {
			if piece = strings.Trim(piece, " :,("); piece != "" {
				found = append(found, piece)
			}
		}
	}
	return found
}

func longest(texts []string) (best string) {
	for _, text := range texts {
		if len(text) > len(best) {
			best = text
		}
	}
	return best
}

// An error in the log of a member that works has a field with its remedy, or the runbook knows it.
func TestRunbookKnowsEveryLoggedError(t *testing.T) {
	runbook, found := read(t, "deploy/docs/runbook.md"), 0
	for path, file := range goFiles(t) {
		if !isBelow(path, []string{"consumer"}) {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || calls(call)[0] != "Msg" || !slices.Contains(calls(call), "Error") {
				return true
			}
			found++
			message, _, _ := strings.Cut(longest(pieces(literals(call.Args[0]))), ":")
			if !slices.Contains(literals(call.Fun), "remedy") && !strings.Contains(runbook, "`"+message) {
				t.Errorf("%s: the error %q has no remedy, and the runbook does not know it", path, message)
			}
			return true
		})
	}
	if found < 10 {
		t.Errorf("only %d errors in the log found: are they still written with Error and Msg?", found)
	}
}

// calls are the methods of a chain of calls, the last one first.
func calls(call *ast.CallExpr) (names []string) {
	for call != nil {
		names = append(names, nameOf(call.Fun))
		method, _ := call.Fun.(*ast.SelectorExpr)
		if call = nil; method != nil {
			call, _ = method.X.(*ast.CallExpr)
		}
	}
	return names
}
