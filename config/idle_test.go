package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A setting that was given and decides nothing is refused with the remedy. A file may state a default, and a flag may
// override the choice of a file.
func TestSettingsWithoutEffectAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		env  []string
		sets []string
		want string // part of the only mistake; empty if there is none
	}{
		"threshold where bits decide": {
			sets: []string{"duplicates.method=simhash", "duplicates.verify=estimate", "duplicates.threshold=0.8"},
			want: "command line: duplicates.threshold: 0.8: has no effect with method: simhash and verify: estimate, where " +
				"duplicates.distance says what is a duplicate; leave it out and set distance, or write verify: jaccard",
		},
		"threshold where shingles decide": {
			sets: []string{"duplicates.method=simhash", "duplicates.threshold=0.9"},
		},
		"distance of a minhash": {
			sets: []string{"duplicates.distance=5"},
			want: "duplicates.distance: 5: has no effect with method: minhash; leave it out, or write method: simhash",
		},
		"slots of a simhash in a file": {
			file: "duplicates: {method: simhash, slots: 64}",
			want: "duplicates.slots: 64: has no effect with method: simhash; leave it out, or write method: minhash",
		},
		"by a variable": {
			file: "duplicates: {method: simhash}", env: []string{"UNECHO_DUPLICATES_RECALL=0.9"},
			want: "UNECHO_DUPLICATES_RECALL: duplicates.recall: 0.9: has no effect with method: simhash",
		},
		"a file that states defaults": {
			file: "duplicates: {method: simhash, verify: estimate, threshold: 0.8, slots: 0, recall: 0.98}",
		},
		"a flag that overrides a file": {
			file: "duplicates: {threshold: 0.9, slots: 64}", sets: []string{"duplicates.method=simhash", "duplicates.verify=estimate"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "unecho.yaml")
			if err := os.WriteFile(path, []byte(c.file+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := ResolveSections(Default(), []string{"duplicates"}, path, c.env, c.sets)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("it is refused: %v; want it taken", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n")):
				t.Errorf("got %v; want one mistake with %q", err, c.want)
			}
		})
	}
}

// Fields of raw text are refused where a service is configured. Verbs that work on files take them.
func TestFieldsOfRawTextAreRefused(t *testing.T) {
	const raw = "has no effect with format: raw, where the whole value is the text; "
	for name, c := range map[string]struct {
		file string
		sets []string
		want string // part of the only mistake; empty if there is none
	}{
		"named": {
			file: "text: [title, body]",
			want: "unecho.yaml:2: sources[0].text: title,body: " + raw + "write format: json, or another format with fields, or leave it out",
		},
		"by a flag":                      {sets: []string{"sources.text=text"}, want: "command line: sources[0].text: text: " + raw},
		"a file that states the default": {file: "text: [text]"},
		"with a format that has some":    {file: "text: [title], format: json"},
		"a flag that overrides a file":   {file: "text: [title], format: json", sets: []string{"sources.format=raw"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "unecho.yaml")
			text := "kafka: {brokers: ['b:1']}\nsources: [{topics: [news], " + c.file + "}]\nsnapshots: {directory: {path: d}}\ngroup: g\n"
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Resolve(path, nil, c.sets)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("it is refused: %v; want it taken", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n")):
				t.Errorf("got %v; want one mistake with %q", err, c.want)
			}
			if _, err := ResolveSections(Default(), []string{"sources", "advanced"}, path, nil, c.sets); err != nil {
				t.Errorf("it is refused for files: %v", err)
			}
		})
	}
}
