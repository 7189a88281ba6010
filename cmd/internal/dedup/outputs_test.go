package dedup_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/corpus/columnar"
	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

// full is a disk without space.
type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }

// TestAFullDiskIsToldOnce: writing fails before the end, and what is buffered cannot be written either, for the same
// reason.
func TestAFullDiskIsToldOnce(t *testing.T) {
	noSpace := errors.New("no space left on device")
	err := judgeTo(t, articles(t, 300), dedup.OutputParams{Paths: map[string]string{"unique": corpus.Stdin}, Stdout: full{noSpace}})
	if !errors.Is(err, noSpace) || err.Error() != noSpace.Error() {
		t.Errorf("Run to a full disk ends with %v; want only %v", err, noSpace)
	}
}

// TestTablesOnAFullDisk: the run ends with that, once.
func TestTablesOnAFullDisk(t *testing.T) {
	const device = "/dev/full"
	if _, err := os.Stat(device); err != nil {
		t.Skipf("this system has no device that is full: %v", err)
	}
	path := filepath.Join(t.TempDir(), "c.parquet")
	if err := os.Symlink(device, path); err != nil {
		t.Fatal(err)
	}
	err := judgeTo(t, articles(t, 100), dedup.OutputParams{Paths: map[string]string{"clusters": path}, Stdout: io.Discard})
	if err == nil || strings.Count(err.Error(), "no space left") != 1 {
		t.Errorf("Run with a table on a full disk ends with %v; want an error that says no space left once", err)
	}
}

func judgeTo(t *testing.T, path string, o dedup.OutputParams) error {
	t.Helper()
	out, err := dedup.OpenOutputs(o)
	if err != nil {
		t.Fatal(err)
	}
	p := dedup.Pass{
		Params: dedup.Params{Index: index.DefaultParams(), Workers: 1, Whole: true}, Judge: newIndex(t, 64<<20, false), Out: out, Notes: io.Discard,
	}
	err = p.Run(t.Context(), nil, &dedup.Input{Reader: reading(t, path)})
	if more := out.Close(); more != nil {
		t.Errorf("closing the outputs: %v; want no error", more)
	}
	return err
}

// tablesOf judges a file, and writes what there is to write into a directory. It is stopped before a document of this
// number is judged, unless that is negative.
func tablesOf(t *testing.T, path, suffix string, all bool, stop int) (map[string]string, error) {
	t.Helper()
	paths, dir := map[string]string{}, t.TempDir()
	for _, name := range []string{"duplicates", "pairs", "clusters", "rejected"} {
		paths[name] = filepath.Join(dir, name+suffix)
	}
	out, err := dedup.OpenOutputs(dedup.OutputParams{Paths: paths, Stdout: io.Discard, All: all})
	if err != nil {
		t.Fatal(err)
	}
	r := reading(t, path)
	p := dedup.Pass{
		Params: dedup.Params{Index: index.DefaultParams(), Workers: 2}, Judge: newIndex(t, 256*setting.MiB, all), Out: out, Notes: io.Discard,
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if stop >= 0 {
		p.After = func() error {
			cancel()
			return nil
		}
	}
	err = p.Run(ctx, nil, &dedup.Input{Reader: r})
	if more := out.Close(); more != nil {
		t.Errorf("closing the outputs: %v; want no error", more)
	}
	return paths, err
}

// rowsOf reads a file of Parquet, or of lines, as the same values.
func rowsOf(t *testing.T, path string, columns ...string) (rows []string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if outfile.IsTable(path) {
		return tableRows(t, data)
	}
	for line := range strings.Lines(string(data)) {
		row := map[string]any{}
		if len(columns) == 0 {
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatal(err)
			}
		} else {
			for i, value := range strings.Split(strings.TrimSuffix(line, "\n"), "\t") {
				if value = outfile.Name(outfile.UnescapeTSV(value)); value == "" && strings.HasSuffix(columns[i], "row") { // none in JSON
					continue
				}
				if columns[i] == "similarity" || strings.HasSuffix(columns[i], "row") {
					if row[columns[i]], err = strconv.ParseFloat(value, 64); err != nil {
						t.Fatal(err)
					}
					continue
				}
				row[columns[i]] = value
			}
		}
		rows = append(rows, fmt.Sprint(row))
	}
	return rows
}

func tableRows(t *testing.T, data []byte) (rows []string) {
	t.Helper()
	r, err := columnar.Open(bytes.NewReader(data), int64(len(data)), columnar.Wanted{All: true})
	if err != nil {
		t.Fatal(err)
	}
	for {
		line, err := r.Append(nil)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		row := map[string]any{}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatalf("the row %q is no JSON object: %v", line, err)
		}
		for column, value := range row {
			if value == nil { // JSON leaves it out
				delete(row, column)
			}
		}
		rows = append(rows, fmt.Sprint(row))
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// hostile are documents with ids that would break lines, columns and texts, and some without a text.
func hostile(t *testing.T) string {
	t.Helper()
	var lines strings.Builder
	for i, id := range []string{
		`tab\tbreak\nquote\"`, `back\\slash`, `zero\u0000`, `\ud800 alone`, `\u2028`, "no \xff UTF-8", "", strings.Repeat("long", 1000), "=1+1",
	} {
		for range 2 {
			fmt.Fprintf(&lines, "{\"id\":\"%s\",\"text\":\"document number %d of some that are alike\"}\n", id, i*i)
		}
		fmt.Fprintf(&lines, "{\"id\":\"%s\",\"nope\":1}\n", id)
	}
	path := filepath.Join(t.TempDir(), "hostile.jsonl")
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTables: what is written as Parquet is what is written as JSON and in columns, whatever the ids are, and where nothing
// is written as well.
func TestTables(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.jsonl")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"articles": articles(t, 400), "hostile": hostile(t), "empty": empty} {
		for _, all := range []bool{false, true} {
			lines, err := tablesOf(t, path, "", all, -1)
			if err != nil {
				t.Fatal(err)
			}
			tables, err := tablesOf(t, path, ".parquet", all, -1)
			if err != nil {
				t.Fatal(err)
			}
			for output, columns := range map[string][]string{
				"duplicates": nil, "rejected": nil, "pairs": {"a", "b", "similarity", "a_file", "a_row", "b_file", "b_row"},
				"clusters": {"id", "cluster", "file", "row", "cluster_file", "cluster_row"},
			} {
				want, got := rowsOf(t, lines[output], columns...), rowsOf(t, tables[output])
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s, all %v: --%s: %.600q\nwant %.600q", name, all, output, got, want)
				}
				if rejects := name == "hostile"; name != "empty" && len(want) == 0 && (output != "rejected" || rejects) {
					t.Errorf("%s, all %v: no --%s", name, all, output)
				}
			}
		}
	}
}

// TestTablesOfAStoppedRun: they hold what was judged, and are whole.
func TestTablesOfAStoppedRun(t *testing.T) {
	tables, err := tablesOf(t, articles(t, 3000), ".parquet", false, 1)
	if err == nil || !strings.Contains(err.Error(), "the outputs hold what was judged so far") {
		t.Fatal(err)
	}
	if n := len(rowsOf(t, tables["clusters"])); n == 0 || n == 3000 {
		t.Errorf("%d clusters", n)
	}
}

func rowsFile[T any](t *testing.T, row T) string {
	t.Helper()
	var out bytes.Buffer
	w, err := columnar.NewRecords[T](&out, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(&row), w.Close()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), fmt.Sprintf("%T.parquet", row))
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOneSchema: files of other columns cannot be one Parquet file. It is said which these are, and what to do.
func TestOneSchema(t *testing.T) {
	type narrow struct {
		ID   string `parquet:"id"`
		Text string `parquet:"text"`
	}
	type wider struct {
		ID   string `parquet:"id"`
		Text string `parquet:"text"`
		Lang string `parquet:"lang"`
	}
	type turned struct {
		Text string `parquet:"text"`
		ID   string `parquet:"id"`
	}
	type numbered struct {
		ID   int64  `parquet:"id"`
		Text string `parquet:"text"`
	}
	one := rowsFile(t, narrow{"1", "one"})
	for path, want := range map[string]string{
		rowsFile(t, narrow{"2", "two"}): "", rowsFile(t, wider{"2", "two", "en"}): "(only the second has lang)",
		rowsFile(t, turned{"two", "2"}): "(the same in another order)", rowsFile(t, numbered{2, "two"}): "(the types of id)",
	} {
		sources, _, err := corpus.Files([]string{one, path})
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = dedup.OneSchema("unique", sources)
		if want == "" && err != nil {
			t.Errorf("%s and another of its columns have no schema: %v; want one", one, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "name the output .jsonl")) {
			t.Errorf("%s and %s say %v; want an error that says %q, and to name the output .jsonl", one, path, err, want)
		}
	}
}
