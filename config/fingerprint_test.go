package config

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unecho/unecho/index"
)

// versionsDir holds the default settings as each version writes them, the oldest first, and one file of their
// fingerprints. A file that is there is never written again: it is what journals in the field begin with.
const versionsDir = "testdata/versions"

func versionTexts(t *testing.T) (names []string, texts [][]byte) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(versionsDir, "*.json"))
	if err != nil || len(files) < 2 {
		t.Fatalf("settings of %d versions: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		names, texts = append(names, filepath.Base(file)), append(texts, bytes.TrimSpace(text))
	}
	return names, texts
}

// TestFingerprintsOfEveryVersion: the default settings mean the same in all versions, and each journal keeps the
// fingerprint that its records have. A setting that is added needs the tag omit, or it tells the members of two
// versions apart.
func TestFingerprintsOfEveryVersion(t *testing.T) {
	var table strings.Builder
	names, texts := versionTexts(t)
	ours := Default().Settings()
	for i, text := range texts {
		fmt.Fprintf(&table, "%-20s means %016x, in records %016x\n", names[i], index.Fingerprint(text), index.Recorded(text))
		if !index.Same(ours, text) {
			t.Errorf("%s: a member of this version does not work by these settings: %q", names[i], index.Diff(ours, text))
		}
		if c, err := FromSettings(text); err != nil || !bytes.Equal(c.Settings(), ours) {
			t.Errorf("%s is read as %s: %v", names[i], c.Settings(), err)
		}
	}
	golden(t, "versions/fingerprints.txt", table.String())
	if newest := texts[len(texts)-1]; !bytes.Equal(newest, ours) {
		t.Errorf("this version writes another text than %s: add a file with it\n%s", names[len(names)-1], ours)
	}
}
