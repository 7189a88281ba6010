package config

import (
	"bytes"
	"encoding/json"
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

// signsAlike says whether this version makes of a text what the version of the settings made of it.
func signsAlike(t *testing.T, settings []byte) bool {
	t.Helper()
	var theirs, ours struct{ Version string }
	for text, to := range map[string]any{string(index.Fixed(settings)): &theirs, string(Default().Settings()): &ours} {
		if err := json.Unmarshal([]byte(text), to); err != nil {
			t.Fatal(err)
		}
	}
	return theirs.Version == ours.Version
}

// TestFingerprintsOfEveryVersion: a member with the default settings works by those that any version began a journal
// with, and each journal keeps the fingerprint that its records have. A setting that is added needs the tag omit, or it
// tells the members of two versions apart. Where a version signed otherwise, that is the only thing that is told.
func TestFingerprintsOfEveryVersion(t *testing.T) {
	var table strings.Builder
	names, texts := versionTexts(t)
	for i, text := range texts {
		fmt.Fprintf(&table, "%-20s means %016x, in records %016x\n", names[i], index.Fingerprint(text), index.Recorded(text))
		lines := index.Diff(Default().Settings(), text)
		if !signsAlike(t, text) {
			if len(lines) != 1 || !strings.HasPrefix(lines[0], "version: ") || index.Same(Default().Settings(), text) {
				t.Errorf("%s: a member of this version signs otherwise, and is told %q; want the version alone", names[i], lines)
			}
			continue
		}
		if len(lines) > 0 || !index.Same(Default().Settings(), text) {
			t.Errorf("%s: a member of this version does not work by these settings: %q", names[i], lines)
		}
		ours, err := Default().AsBegun(text)
		if err != nil || index.Fingerprint(ours.Settings()) != index.Fingerprint(text) {
			t.Errorf("%s: a member works by %s: %v", names[i], ours.Settings(), err)
		}
		if c, err := FromSettings(text); err != nil || !bytes.Equal(c.Settings(), ours.Settings()) {
			t.Errorf("%s is read as %s: %v", names[i], c.Settings(), err)
		}
	}
	golden(t, "versions/fingerprints.txt", table.String())
	begun, err := Default().AsBegun(nil)
	if err != nil {
		t.Fatal(err)
	}
	ours := begun.Settings()
	if newest := texts[len(texts)-1]; !bytes.Equal(newest, ours) {
		t.Errorf("this version writes another text than %s: add a file with it\n%s", names[len(names)-1], ours)
	}
}
