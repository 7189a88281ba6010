package corpus_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/corpus"
)

// sampled returns how many records there are by a sample, and how many were looked at.
func sampled(t *testing.T, paths ...string) (records float64, visited int) {
	t.Helper()
	sources, _, err := corpus.Files(paths)
	if err != nil {
		t.Fatal(err)
	}
	files, err := sources.All()
	if err != nil {
		t.Fatal(err)
	}
	here := 0
	corpus.Sample(corpus.DefaultParams(), files, func(*corpus.Record) { here++ }, func(times float64) {
		records += times * float64(here)
		visited += here
		here = 0
	})
	return records, visited
}

// TestSampleOfLittle: of files that are smaller than a sample each record counts once, whatever they end with.
func TestSampleOfLittle(t *testing.T) {
	rows, _, err := read(t, corpus.DefaultParams(), tables+"rows.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name := range 3 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(name, ".txt")), []byte("a text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		path string
		want int
	}{
		{file(t, "a.jsonl", "{\"text\":\"a\"}\n{\"text\":\"b\"}\n"), 2},
		{file(t, "a.jsonl", "\ufeff{\"text\":\"a\"}\n{\"text\":\"b\"}"), 2},
		{file(t, "a.json", `[{"text":"a"},{"text":"b"},{"text":"c"}]`), 3},
		{file(t, "a.tsv", "text\tid\na\t1\nb\t2\n"), 2},
		{file(t, "a.csv", "text,id\na,1\n\"b\nc\",2\n"), 2},
		{file(t, "a.txt", "one\ntwo\nthree"), 3},
		{file(t, "a.txt", "one\n"), 1},
		{file(t, "a.txt", ""), 0},
		{dir, 3},
		{file(t, "a.csv", "no,column\nof,texts\n"), 0},
		{tables + "v1.parquet", len(rows)},
	} {
		if got, _ := sampled(t, test.path); math.Abs(got-float64(test.want)) > 0.01 {
			t.Errorf("%s: %v records, want %d", test.path, got, test.want)
		}
	}
}

// TestSampleOfMuch: little is read of much, and lines that are longer than a window count as such.
func TestSampleOfMuch(t *testing.T) {
	var lines strings.Builder
	const records = 40_000
	for i := range records {
		fmt.Fprintf(&lines, "%d %s\n", i, strings.Repeat("x", 1+i%50))
		if i%400 == 0 {
			lines.WriteString(strings.Repeat("a long line ", 2000))
		}
	}
	type row struct {
		Text string `parquet:"text"`
	}
	var rows []row
	for i := range records {
		rows = append(rows, row{fmt.Sprintf("the text of row %d", i)})
	}
	for _, path := range []string{file(t, "a.txt", lines.String()), file(t, "a.parquet", parquetOf(t, rows...))} {
		got, visited := sampled(t, path)
		if times := got / records; times < 0.8 || times > 1.25 || visited == 0 || visited > records/3 {
			t.Errorf("%s: %v of %d records, by %d", path, got, records, visited)
		}
	}
}
