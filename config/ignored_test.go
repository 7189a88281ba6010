package config

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/ignore"
)

// list writes a list of one passage, found by p.
func list(t *testing.T, p index.Params, passage string) string {
	t.Helper()
	l := ignore.List{Documents: 100, Share: 0.05, Passages: []string{passage}}
	file, err := l.Append(nil, p)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "common.txt")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func service(sets ...string) (Config, error) {
	return Load("", nil, append([]string{
		"kafka.brokers=b:1", "sources.topics=news", "group=g", "snapshots.directory.path=d",
	}, sets...))
}

// TestIgnored: what a list holds decides verdicts, and where it lies does not.
func TestIgnored(t *testing.T) {
	p := index.DefaultParams()
	of := func(path string) Config {
		c, err := service("duplicates.ignore=" + path)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	a, same, other := of(list(t, p, "one two three four")), of(list(t, p, "one two three four")), of(list(t, p, "one two three five"))
	none, err := service()
	if err != nil || a.Judge.Duplicates.Ignored.Len() != 2 {
		t.Fatalf("%d shingles are ignored, want 2; %v", a.Judge.Duplicates.Ignored.Len(), err)
	}
	if !bytes.Equal(a.Settings(), same.Settings()) {
		t.Errorf("%s\ndiffers from\n%s", a.Settings(), same.Settings())
	}
	is := a.Judge.Duplicates.Ignored.Fingerprint
	for name, test := range map[string]struct {
		there Config
		want  string
	}{
		"other": {other, "duplicates.ignore.fingerprint: " + is + " here, " + other.Judge.Duplicates.Ignored.Fingerprint + " in the journal"},
		"none":  {none, "duplicates.ignore.fingerprint: " + is + " here, not set in the journal"},
	} {
		if lines := index.Diff(a.Settings(), test.there.Settings()); !slices.Equal(lines, []string{test.want}) {
			t.Errorf("%s: %q, want %s", name, lines, test.want)
		}
	}
	read, err := FromSettings(a.Settings())
	if err != nil || !bytes.Equal(read.Settings(), a.Settings()) {
		t.Errorf("%s is read as %s: %v", a.Settings(), read.Settings(), err)
	}
	if _, err := index.NewSigner(read.Judge); err == nil {
		t.Error("documents are signed by a list that was not read")
	}
}

func TestIgnoredIsRefused(t *testing.T) {
	p, chars := index.DefaultParams(), index.DefaultParams()
	chars.Duplicates.Shingle, chars.Normalize.URLs = "char:5", "mask"
	damaged := list(t, p, "one two three four")
	if err := os.WriteFile(damaged, []byte("one two three four\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		sets []string
		want string
	}{
		"missing": {[]string{"duplicates.ignore=nowhere.txt"}, "duplicates.ignore: nowhere.txt: cannot be read: open nowhere.txt: no such file"},
		"no list": {[]string{"duplicates.ignore=" + damaged}, damaged + ": is no list of unecho common: its first line does not say so; make it again by the settings here"},
		"other settings": {
			[]string{"duplicates.ignore=" + list(t, chars, "one two")},
			"was made by other settings: duplicates.shingle is char:5 there, and auto:3 here; normalize.urls is mask there, and keep here; make it again by the settings here (unecho common)",
		},
		"levenshtein": {
			[]string{"duplicates.ignore=" + list(t, chars, "one two"), "duplicates.verify=levenshtein", "duplicates.shingle=char:4"},
			"does not go with verify: levenshtein, which compares texts rune by rune and so has no shingles to leave out",
		},
	} {
		_, err := service(test.sets...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
		if _, forFiles := ResolveSections(Default(), []string{"duplicates", "normalize"}, "", nil, test.sets); forFiles == nil || !strings.Contains(forFiles.Error(), test.want) {
			t.Errorf("%s, for files: got %v, want %s", name, forFiles, test.want)
		}
	}
}
