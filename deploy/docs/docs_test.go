package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const root = "../.."

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sources are the texts of the program's files, tests aside, by path.
func sources(t *testing.T, below ...string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, dir := range below {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			texts[path] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// section is a part of a document, from its heading to the next of the same level.
func section(t *testing.T, text, heading string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, heading+"\n")
	if !ok {
		t.Fatalf("there is no %q", heading)
	}
	level, _, _ := strings.Cut(heading, " ")
	part, _, _ := strings.Cut(rest, "\n"+level+" ")
	return part
}

// documents are those that people read, decisions aside.
func documents() []string {
	return []string{"README.md", "CHANGELOG.md", "deploy/docs/runbook.md", "deploy/docs/permissions.md", "deploy/docs/reliability.md"}
}

// A metric that a document names is one that ops serves.
func TestMetricsInDocsExist(t *testing.T) {
	known := map[string]bool{}
	name := regexp.MustCompile(`unecho_[a-z_]+`)
	for line := range strings.Lines(read(t, "cmd/internal/ops/testdata/metrics.txt")) {
		known[name.FindString(line)] = true
	}
	for _, path := range documents() {
		for _, metric := range name.FindAllString(read(t, path), -1) {
			if !known[metric] {
				t.Errorf("%s names %s, which ops does not serve", path, metric)
			}
		}
	}
}

// Links within the repository lead somewhere.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)\)`)
	for _, path := range documents() {
		for _, m := range link.FindAllStringSubmatch(read(t, path), -1) {
			target := filepath.Join(root, filepath.Dir(path), m[1])
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}

func TestDecisionsHaveTheirForm(t *testing.T) {
	pages, err := filepath.Glob("decisions/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal("no decisions", err)
	}
	form := regexp.MustCompile(`(?s)^# (\d+)\. [^\n]+\n\n\d{4}-\d\d-\d\d, [^\n]+\n\n## Context\n.+\n## Decision\n.+\n## Consequences\n.+$`)
	for i, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		m := form.FindSubmatch(text)
		if m == nil {
			t.Errorf("%s lacks number, title, date, context, decision or consequences", page)
			continue
		}
		number := strings.TrimLeft(strings.SplitN(filepath.Base(page), "-", 2)[0], "0")
		if string(m[1]) != number || number != strconv.Itoa(i+1) {
			t.Errorf("%s calls itself number %s, and is the %dth", page, m[1], i+1)
		}
		if lines := strings.Count(string(text), "\n"); lines > 60 {
			t.Errorf("%s has %d lines: a decision is one page", pages[i], lines)
		}
	}
}
