package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/setting"
)

// Settings that only the verbs for files have do not appear in anything written for people who run a service.
func TestSettingsForFilesAreNotWritten(t *testing.T) {
	var files []string
	for _, f := range setting.Fields(Default()) {
		if f.Files {
			files = append(files, f.Key)
		}
	}
	if !slices.Equal(files, []string{
		"duplicates.hash", "duplicates.slots", "duplicates.plan", "duplicates.bands", "duplicates.rows", "duplicates.bits",
		"duplicates.evidence", "duplicates.max_references", "duplicates.max_work", "normalize.html", "normalize.max_bytes",
	}) {
		t.Errorf("settings for files: %v", files)
	}
	loaded := Loaded{Config: Default()}
	for name, text := range map[string]string{
		"template": Template(), "schema": Schema(), "print": loaded.String(),
		"table": Table(),
	} {
		for _, word := range []string{"murmur3", "xxhash", "area", "slots:", "bands:", "evidence:"} {
			if strings.Contains(text, word) {
				t.Errorf("%s knows %s", name, word)
			}
		}
	}
}

// A service starts with the defaults of those settings. A file, a variable or a flag that sets them to these defaults
// is accepted.
func TestSettingsForFilesOfAService(t *testing.T) {
	path := filepath.Join(t.TempDir(), "unecho.yaml")
	base := "kafka: {brokers: ['b:1']}\nsources: [{topics: [news]}]\ngroup: news-filter\nsnapshots: {directory: {path: d}}\n"
	for _, c := range []struct {
		name, file, variable, set string
		want                      string // "" means accepted
	}{
		{"defaults in a file", "duplicates: {hash: xxhash, plan: recall}", "", "", ""},
		{"defaults elsewhere", "", "UNECHO_DUPLICATES_HASH=xxhash", "duplicates.plan=recall", ""},
		{
			"in a file", "duplicates: {hash: murmur3}", "", "",
			path + ":5: duplicates.hash: murmur3: is for the verbs that work on files: a service has xxhash; remove it; a " +
				"group that was begun with it needs a new journal",
		},
		{"in a variable", "", "UNECHO_DUPLICATES_HASH=sha1", "", "UNECHO_DUPLICATES_HASH: duplicates.hash: sha1: is for"},
		{"by a flag", "", "", "duplicates.plan=area", "command line: duplicates.plan: area: is for"},
		{"what is computed", "duplicates: {slots: 128}", "", "", "duplicates.slots: 128: is for the verbs that work on files: a service has 0;"},
		{"no word at all", "duplicates: {hash: md5}", "", "", "duplicates.hash: md5: is not one of the choices"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(base+c.file+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			var sets []string
			if c.set != "" {
				sets = append(sets, c.set)
			}
			loaded, err := Resolve(path, []string{c.variable}, sets)
			var mistakes Mistakes
			switch errors.As(err, &mistakes); {
			case c.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.want == "" && loaded.Count(FromFile) != 4:
				t.Errorf("%d settings from the file", loaded.Count(FromFile))
			case c.want != "" && (len(mistakes) != 1 || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if _, err := ResolveSections(Default(), []string{"duplicates"}, path, []string{c.variable},
				sets); (err != nil) != (c.name == "no word at all") {
				t.Errorf("for files: %v", err)
			}
		})
	}
}

// The settings of a service leave them out, and those of a verb for files tell what is no default.
func TestSettingsForFilesAreLeftOut(t *testing.T) {
	text := string(Default().Settings())
	for _, key := range []string{"hash", "plan", "bits", "evidence", "max_bytes\":\"0"} {
		if strings.Contains(text, "."+key) {
			t.Errorf("%s is in %s", key, text)
		}
	}
	c := Default()
	c.Judge.Duplicates.Hash, c.Judge.Duplicates.Plan = "murmur3", "area"
	got, err := FromSettings(c.Settings())
	if err != nil || got.Judge.Duplicates.Hash != "murmur3" || got.Judge.Duplicates.Plan != "area" {
		t.Errorf("%s is read as %+v: %v", c.Settings(), got.Judge.Duplicates, err)
	}
}
