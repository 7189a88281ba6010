package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExport: the exported files are what dedup reads, and the truth about it.
func TestExport(t *testing.T) {
	ads := filepath.Join(t.TempDir(), "kijiji-rome-rent")
	if err := os.Mkdir(ads, 0o750); err != nil {
		t.Fatal(err)
	}
	table := "Title\tShort Description\tLocation\na flat\tnear the park\tRome\na car\tred\tRome\nA flat\tnear the " +
		"park\tMilan\n"
	if err := os.WriteFile(filepath.Join(ads, "dataset_rent_rome_kijiji.tsv"), []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := export(dir, filepath.Dir(ads), 500, 500); err != nil {
		t.Fatal(err)
	}
	if got := read(t, dir, "ads.pairs"); got != "0\t2\n" {
		t.Errorf("pairs of the ads: %q", got)
	}
	if got := read(t, dir, "ads.jsonl"); !strings.HasPrefix(got, `{"id":"0","text":"a flat\nnear the park"}`+"\n") ||
		strings.Count(got, "\n") != 3 {
		t.Errorf("the ads: %q", got)
	}
	if got := read(t, dir, "generated.jsonl"); strings.Count(got, "\n") != 500 {
		t.Errorf("%d lines of 500 articles", strings.Count(got, "\n"))
	}
	if got := strings.Count(read(t, dir, "generated.pairs"), "\n"); got < 50 {
		t.Errorf("%d pairs among 500 articles", got)
	}
}

// TestExportOfMany: what is not joined has the copies that were planted.
func TestExportOfMany(t *testing.T) {
	dir := t.TempDir()
	if err := export(dir, dir, 500, 100); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "generated.*"))
	if got := strings.Count(read(t, dir, "generated.planted"), "\n"); err != nil || got < 50 || len(names) != 2 {
		t.Errorf("%d copies among 500 articles, in %s, %v", got, names, err)
	}
}

func read(t *testing.T, elements ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
