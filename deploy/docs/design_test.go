package docs

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A comment that names a section or a rule of the design names one that there is.
func TestDesignIsWhereCodePoints(t *testing.T) {
	design := read(t, "deploy/docs/design.md")
	pointer := regexp.MustCompile(`design (?:section )?(\d+)(?:, rules? (\d+)(?: and (\d+))?)?`)
	found := 0
	for path, text := range sources(t, "cmd", "config", "consumer", "sink", "index") {
		for _, m := range pointer.FindAllStringSubmatch(text, -1) {
			found++
			if !strings.Contains(design, "\n## "+m[1]+". ") {
				t.Errorf("%s points to %q: there is no such section", path, m[0])
			}
			for _, rule := range m[2:] {
				if rule != "" && !strings.Contains(section(t, design, "## 4. The state machine"), "\n### Rule "+rule+"\n") {
					t.Errorf("%s points to %q: there is no such rule", path, m[0])
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d comments point to the design", found)
	}
}

// Each decision stands in the index by topic, and each file that the design names is there.
func TestDesignNamesWhatThereIs(t *testing.T) {
	design := read(t, "deploy/docs/design.md")
	pages, err := filepath.Glob("decisions/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal("no decisions", err)
	}
	_, index, _ := strings.Cut(design, "\n## 10. Decisions\n")
	for _, page := range pages {
		if !strings.Contains(index, "]("+page+")") {
			t.Errorf("%s is under no topic", page)
		}
	}
	for _, m := range regexp.MustCompile(`\]\((decisions/[^)]+)\)`).FindAllStringSubmatch(design, -1) {
		if found, err := filepath.Glob(m[1]); err != nil || len(found) != 1 {
			t.Errorf("there is no %s", m[1])
		}
	}
	way, _, _ := strings.Cut(design[strings.Index(design, "\nA document's way"):], "\n## 3")
	files := regexp.MustCompile("`((?:consumer|index|sink)/[a-z/]+(?:\\.go)?)`").FindAllStringSubmatch(design, -1)
	steps := regexp.MustCompile(`\b((?:consumer|index|sink)/[a-z/]+(?:\.go)?)`).FindAllStringSubmatch(way, -1)
	if len(steps) < 12 {
		t.Errorf("only %d files carry a document's way", len(steps))
	}
	for _, m := range append(files, steps...) {
		if found, err := filepath.Glob(filepath.Join(root, m[1])); err != nil || len(found) != 1 {
			t.Errorf("there is no %s", m[1])
		}
	}
}

// At the top level are the rooms that imports go through, and deploy.
func TestDesignTopLevel(t *testing.T) {
	var rooms []string
	for _, below := range []string{"/*.go", "/*/*.go"} {
		files, err := filepath.Glob(root + "/[a-z]*" + below)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			room, _, _ := strings.Cut(strings.TrimPrefix(filepath.ToSlash(file), root+"/"), "/")
			rooms = append(rooms, room)
		}
	}
	slices.Sort(rooms)
	if rooms = slices.Compact(rooms); !slices.Equal(rooms, []string{"cmd", "config", "consumer", "deploy", "index", "sink"}) {
		t.Errorf("at the top level are %q", rooms)
	}
}

// The map of the code has every room, and no other.
func TestDesignMap(t *testing.T) {
	code := section(t, read(t, "deploy/docs/design.md"), "## 2. Rooms")
	_, code, _ = strings.Cut(code, "```\n")
	code, _, _ = strings.Cut(code, "\n```")
	var shown []string
	top := "" // the room that lines which are set in are of
	for line := range strings.Lines(code) {
		for _, m := range regexp.MustCompile(`(?:^| )((?:[a-z][a-z0-9]*/)+)`).FindAllStringSubmatch(line, -1) {
			room := strings.TrimSuffix(m[1], "/")
			if line[0] == ' ' {
				room = top + "/" + room
			} else {
				top = room
			}
			shown = append(shown, room)
		}
	}
	var rooms []string
	for path := range sources(t, "cmd", "config", "consumer", "sink", "index", "deploy") {
		room, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		if room = filepath.ToSlash(room); !slices.Contains(rooms, room) && fs.ValidPath(room) {
			rooms = append(rooms, room)
		}
	}
	for _, room := range rooms {
		if !slices.Contains(shown, room) {
			t.Errorf("the map lacks %s", room)
		}
	}
	for i, s := range shown {
		exists := slices.ContainsFunc(rooms, func(room string) bool { return room == s || strings.HasPrefix(room, s+"/") })
		if !exists || slices.Contains(shown[:i], s) {
			t.Errorf("the map shows %s, which is not there, or is there twice", s)
		}
	}
}
