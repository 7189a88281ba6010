package docs

import (
	"path/filepath"
	"regexp"
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
	_, index, _ := strings.Cut(design, "\n## 12. Decisions\n")
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
	for _, m := range regexp.MustCompile("`((?:consumer|index|sink)/[a-z/]+(?:\\.go)?)`").FindAllStringSubmatch(design, -1) {
		if found, err := filepath.Glob(filepath.Join(root, m[1])); err != nil || len(found) != 1 {
			t.Errorf("there is no %s", m[1])
		}
	}
}
