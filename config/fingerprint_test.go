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
// fingerprints. A file of a released version is never written again: it is what journals in the field begin with.
const versionsDir = "testdata/versions"

func versionTexts(t *testing.T) (names []string, texts [][]byte) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(versionsDir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("settings of %d versions, want one at least: %v", len(files), err)
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

// TestFingerprintsOfEveryVersion: a member with the default settings works by those that any version began a journal
// with, and each journal keeps the fingerprint that its records have. A setting that is added needs the tag omit, or it
// tells the members of two versions apart.
func TestFingerprintsOfEveryVersion(t *testing.T) {
	var table strings.Builder
	names, texts := versionTexts(t)
	for i, text := range texts {
		fmt.Fprintf(&table, "%-20s %016x\n", names[i], index.Fingerprint(text))
		if lines := index.Diff(oneSource().Settings(), text); len(lines) > 0 || !index.Same(oneSource().Settings(), text) {
			t.Errorf("%s: a member of this version does not work by these settings: %q", names[i], lines)
		}
		ours, err := oneSource().AsBegun(text)
		if err != nil || index.Fingerprint(ours.Settings()) != index.Fingerprint(text) {
			t.Errorf("%s: a member works by %s: %v", names[i], ours.Settings(), err)
		}
		if c, err := FromSettings(text); err != nil || !bytes.Equal(c.Settings(), ours.Settings()) {
			t.Errorf("%s is read as %s: %v", names[i], c.Settings(), err)
		}
	}
	golden(t, "versions/fingerprints.txt", table.String())
	if newest, ours := texts[len(texts)-1], begunText(t); !bytes.Equal(newest, ours) {
		t.Errorf("this version writes another text than %s: add a file with it\n%s", names[len(names)-1], ours)
	}
}

// TestVersionThatSignsOtherwise: a member does not work by the settings of a version that signed otherwise, and is told
// that alone.
func TestVersionThatSignsOtherwise(t *testing.T) {
	engine := index.SettingsVersion + " " + oneSource().Judge.Version()
	text := bytes.Replace(begunText(t), []byte(engine), []byte("earlier "+engine), 1)
	lines := index.Diff(oneSource().Settings(), text)
	want := "version: " + engine + " here, earlier " + engine + " in the journal"
	if len(lines) != 1 || lines[0] != want || index.Same(oneSource().Settings(), text) {
		t.Errorf("a member of this version is told %q, want %q", lines, want)
	}
}

// begunText is the settings text of a group that begins its journal with the defaults.
func begunText(t *testing.T) []byte {
	t.Helper()
	begun, err := oneSource().AsBegun(nil)
	if err != nil {
		t.Fatal(err)
	}
	return begun.Settings()
}
