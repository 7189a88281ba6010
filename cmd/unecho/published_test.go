package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/exit"
)

// printed runs a command line and returns what it writes to standard output.
func printed(t *testing.T, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(args, &stdout, &stderr); code != exit.Done {
		t.Fatalf("unecho %s: exit code %d\n%s", strings.Join(args, " "), code, stderr.String())
	}
	return stdout.Bytes()
}

// tuned is what the tests read of a report.
type tuned struct {
	Documents   int
	Recommended struct{ Shingle string }
	YAML        string
	Sources     []struct {
		Shingle, Hash string
		Documents     int
		Pairs         int
	}
	Rows []struct {
		Shingle, Hash         string
		Slots, Bands, Rows    int
		Threshold             float64
		TP, FP, FN            int
		Precision, Recall, F1 float64
	}
	Skipped []struct{ Why string }
}

func tunedBy(t *testing.T, args ...string) (report tuned) {
	t.Helper()
	if err := json.Unmarshal(printed(t, append([]string{"tune", "--json"}, args...)...), &report); err != nil {
		t.Fatal(err)
	}
	return report
}

// TestTuneKijiji tunes on the advertisements as they were published (index/eval has the recipe): their runs of ten
// characters, spaces at the ends included, go in as tokens, since the service's normal form trims them.
func TestTuneKijiji(t *testing.T)     { tryKijiji(t, 800, 1084) }
func TestTuneKijijiLong(t *testing.T) { tryKijiji(t, 2627, 10_360) }

// tryKijiji tunes on so many advertisements, which have so many similar pairs.
func tryKijiji(t *testing.T, documents, pairs int) {
	dir := os.Getenv("UNECHO_TEST_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	name := filepath.Join(dir, "kijiji-rome-rent", "dataset_rent_rome_kijiji.tsv")
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("shared data absent: %s is not there; UNECHO_TEST_DATA names its directory", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	spaces := regexp.MustCompile(" +")
	var lines []byte
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1 : 1+documents] {
		columns := strings.Split(line, "\t")
		ad := []rune(spaces.ReplaceAllString(strings.ToLower(columns[0]+" "+columns[1]), " "))
		tokens := []string{}
		for i := range len(ad) - 9 {
			tokens = append(tokens, string(ad[i:i+10]))
		}
		line, err := json.Marshal(map[string][]string{"tokens": tokens})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(append(lines, line...), '\n')
	}
	file := filepath.Join(t.TempDir(), "ads.jsonl")
	if err := os.WriteFile(file, lines, 0o600); err != nil {
		t.Fatal(err)
	}
	published := tunedBy(t, "--tokens", "tokens", "--shingle", "word:1", "--threshold", "0.8", "--slots", "50", "--bands",
		"10", file)
	planned := tunedBy(t, "--tokens", "tokens", "--shingle", "word:1", "--threshold", "0.8", "--slots", "128", file)
	for name, report := range map[string]tuned{"50 slots in 10 bands": published, "the default plan": planned} {
		verified := report.Rows[len(report.Rows)-1]
		if report.Documents != documents || report.Sources[0].Pairs != pairs || verified.TP < documents/4 || verified.FP != 0 ||
			verified.Recall < 0.98 {
			t.Errorf("%s: of %d documents, the sources are %+v and the last row %+v; want %d documents, %d pairs, and a row that finds "+
				"0.98 of the copies or more, and no others", name, report.Documents, report.Sources, verified, documents, pairs)
		}
	}
	if row := published.Rows[0]; row.Slots != 50 || row.Bands != 10 || row.Rows != 5 {
		t.Errorf("the first row is %+v; want 50 slots in 10 bands of 5 rows", row)
	}
}
