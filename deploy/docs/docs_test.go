package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// brokenLiteral is where a literal goes on in the next line.
var brokenLiteral = regexp.MustCompile(`"\s*\+\n\s*"`)

// sources are the texts of the program's files, tests aside, by path. A literal of several lines stands in one.
func sources(t *testing.T, below ...string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, dir := range below {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			texts[path] = brokenLiteral.ReplaceAllString(string(text), "")
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
func documents(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("*.md")
	if err != nil || len(pages) < 5 {
		t.Fatal("few pages", pages, err)
	}
	documents := []string{"README.md", "CHANGELOG.md", "deploy/examples/README.md"}
	for _, page := range pages {
		documents = append(documents, "deploy/docs/"+page)
	}
	return documents
}

// A metric that a document, an alert or the dashboard names is one that ops serves. Columns of dedup --annotated begin alike.
func TestMetricsInDocsExist(t *testing.T) {
	known := map[string]bool{}
	name := regexp.MustCompile(`unecho_[a-z_]+`)
	for line := range strings.Lines(read(t, "cmd/internal/ops/testdata/metrics.txt")) {
		metric := name.FindString(line)
		known[metric] = true
		if strings.Contains(line, "\thistogram\t") {
			known[metric+"_bucket"], known[metric+"_sum"], known[metric+"_count"] = true, true, true
		}
	}
	for _, column := range name.FindAllString(read(t, "cmd/internal/dedup/annotated.go"), -1) {
		known[column] = true
	}
	for _, path := range append(documents(t), "deploy/chart/files/alerts.yaml", "deploy/chart/files/dashboard.json") {
		for _, metric := range name.FindAllString(read(t, path), -1) {
			if !known[metric] {
				t.Errorf("%s names %s, which ops does not serve", path, metric)
			}
		}
	}
}

// Links within the repository lead somewhere: to a file, and to a heading of it.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)\s]+))?\)`)
	for _, path := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(read(t, path), -1) {
			target := path
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(path), m[1])
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s has a link to what is not there: %v", path, err)
			} else if m[2] != "" && !slices.Contains(anchors(read(t, target)), m[2]) {
				t.Errorf("%s links to %s#%s: there is no such heading", path, target, m[2])
			}
		}
	}
}

// Each picture is shown by a page, and is small. That those which are shown are there is what TestLinks holds.
func TestPicturesAreShown(t *testing.T) {
	pictures, err := filepath.Glob("*.png")
	if err != nil || len(pictures) == 0 {
		t.Fatalf("there is no picture of the page: run make screenshots: %v", err)
	}
	pages := ""
	for _, path := range documents(t) {
		pages += read(t, path)
	}
	const most = 150_000 // bytes
	for _, name := range pictures {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > most {
			t.Errorf("%s has %d bytes, and may have %d", name, info.Size(), most)
		}
		if !strings.Contains(pages, name+")") && !strings.Contains(pages, name+`"`) {
			t.Errorf("no page shows %s", name)
		}
	}
	for _, m := range regexp.MustCompile(` (?:src|srcset)="deploy/docs/([^"]+)"`).FindAllStringSubmatch(pages, -1) {
		if !slices.Contains(pictures, m[1]) {
			t.Errorf("there is no picture %s", m[1])
		}
	}
}

// anchors are the names that a renderer gives to headings.
func anchors(text string) (names []string) {
	dropped := regexp.MustCompile("[^a-z0-9 _-]")
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		names = append(names, strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return names
}

// Each example is in the list beside it.
func TestExamplesAreListed(t *testing.T) {
	list := read(t, "deploy/examples/README.md")
	files, err := os.ReadDir(filepath.Join(root, "deploy/examples"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := file.Name()
		if file.IsDir() {
			name += "/"
		}
		if name != "README.md" && !strings.Contains(list, "`"+name+"`") {
			t.Errorf("deploy/examples/README.md does not say what %s is", name)
		}
	}
}

func TestDecisionsHaveTheirForm(t *testing.T) {
	pages, err := filepath.Glob("decisions/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal("no decisions", err)
	}
	form := regexp.MustCompile(`(?s)^# (\d+)\. [^\n]+\n\n\d{4}-\d\d-\d\d, [^\n]+\n\n## Context\n.+\n## Decision\n.+\n## Consequences\n.+$`)
	last := 0 // a number whose decision was dropped is given to no other
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
		n, err := strconv.Atoi(number)
		if string(m[1]) != number || err != nil || n <= last {
			t.Errorf("%s calls itself number %s, and comes behind %d", page, m[1], last)
		}
		last = n
		if lines := strings.Count(string(text), "\n"); lines > 70 {
			t.Errorf("%s has %d lines: a decision is one page", pages[i], lines)
		}
	}
}
