package dedup_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

// row is a document of a text, a note and an image beside them. Nil is null.
type row struct {
	ID    string  `json:"id"    parquet:"id"`
	Text  *string `json:"text"  parquet:"text,optional"`
	Note  *string `json:"note"  parquet:"note,optional"`
	Image string  `json:"image" parquet:"image"`
}

const mostText = 300 // advanced.max_document_bytes of the test

// someRows are rows of all kinds: unique, copies, too large, empty and missing.
func someRows(n int) (rows []row) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func(s string) *string { return &s }
	texts := []*string{nil, text(""), text("a text that comes again and again"), text(strings.Repeat("too large ", mostText/8))}
	for i := range n {
		pick := func(part string) *string {
			if at := random.IntN(2 * len(texts)); at < len(texts) {
				return texts[at]
			}
			return text(fmt.Sprintf("%s %d of some that are unlike all others, number %d", part, i*i, i))
		}
		rows = append(rows, row{fmt.Sprint("d", i), pick("text"), pick("note"), strings.Repeat("A", random.IntN(2)*2*mostText)})
	}
	return rows
}

// inFormats writes rows as files of all formats that have fields.
func inFormats(t *testing.T, rows []row) map[string]string {
	t.Helper()
	var lines, sparse, array, table, tabs bytes.Buffer
	texts := csv.NewWriter(&table)
	columns := []string{"id", "text", "note", "image"}
	fmt.Fprintln(&tabs, strings.Join(columns, "\t"))
	_ = texts.Write(columns)
	for i, r := range rows {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, "%s\n", line)
		left := strings.NewReplacer(`"text":null,`, "", `"note":null`, `"note":NaN`).Replace(string(line))
		fmt.Fprintf(&sparse, "%s\n", left)
		fmt.Fprintf(&array, "%s%s", map[bool]string{true: "[\n", false: ",\n"}[i == 0], strings.ReplaceAll(left, `,"`, ",\n\""))
		cells := []string{r.ID, "", "", r.Image}
		for at, text := range []*string{r.Text, r.Note} {
			if text != nil {
				cells[at+1] = *text
			}
		}
		_ = texts.Write(cells)
		fmt.Fprintln(&tabs, strings.Join(cells, "\t"))
	}
	texts.Flush()
	array.WriteString("\n]\n")
	var shelf bytes.Buffer
	w := parquet.NewGenericWriter[row](&shelf)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	paths, dir := map[string]string{}, t.TempDir()
	for name, content := range map[string]*bytes.Buffer{
		"a.jsonl": &lines, "sparse.jsonl": &sparse, "a.json": &array, "a.csv": &table, "a.tsv": &tabs, "a.parquet": &shelf,
	} {
		paths[name] = filepath.Join(dir, name)
		if err := os.WriteFile(paths[name], content.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

// fates judges a file and returns what became of each row, by its id, in the order of the ids, and what --unique has.
func fates(t *testing.T, path string, w way) (fate []string, unique []string, counts dedup.Summary) {
	t.Helper()
	p := corpus.DefaultParams()
	p.Fields, p.Document.MaxBytes, p.Document.Reject, p.Kept, p.Rows = []string{"text", "note"}, mostText, w.reject(), w.keep, corpus.RowsWhole
	sources, _, err := corpus.Files([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	paths, dir := map[string]string{}, t.TempDir()
	for _, name := range []string{"unique", "duplicates", "rejected"} {
		paths[name] = filepath.Join(dir, name)
	}
	o := dedup.OutputParams{Paths: paths, Stdout: io.Discard, All: w.all, Keep: w.keep}
	if paths["unique"] += w.suffix; outfile.IsTable(w.suffix) {
		p.Rows = corpus.RowsWanted
		if sources, o.Schema, err = dedup.OneSchema("unique", sources); err != nil {
			t.Fatal(err)
		}
	}
	out, err := dedup.OpenOutputs(o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := corpus.NewReader(p, sources)
	if err != nil {
		t.Fatal(err)
	}
	pass := dedup.Pass{
		Params: dedup.Params{Index: index.DefaultParams(), Workers: 2, Whole: true, Keep: w.keep}, Judge: newIndex(t, 64*setting.MiB, w.all),
		Out: out, Notes: io.Discard,
	}
	if err := pass.Run(t.Context(), nil, &dedup.Input{Reader: r}); err != nil {
		t.Fatalf("judging %s: %v; want no error", path, err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"duplicates", "rejected"} {
		for _, line := range rowsOf(t, paths[name]) {
			_, id, _ := strings.Cut(line, " id:")
			fate = append(fate, strings.Fields(id)[0]+" "+name)
		}
	}
	slices.Sort(fate)
	return fate, idsOf(t, paths["unique"], path), pass.Summary(0)
}

// idsOf returns the ids in a file of rows.
func idsOf(t *testing.T, path, like string) (ids []string) {
	t.Helper()
	p := corpus.DefaultParams()
	p.Fields = []string{"image"}
	switch format := filepath.Ext(like)[1:]; {
	case outfile.IsTable(path):
	case format == corpus.CSV || format == corpus.TSV:
		p.Format = format
	default: // objects come out as lines
		p.Format = corpus.JSONL
	}
	sources, _, err := corpus.Files([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	r, err := corpus.NewReader(p, sources)
	if err != nil {
		t.Fatal(err)
	}
	err = corpus.Each(t.Context(), r, func(r *corpus.Record) error {
		if r.Bad != nil {
			t.Errorf("--unique of %s has a row that is no document: %+v", like, r.Bad)
		}
		ids = append(ids, string(r.ID))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// way is how a file is judged.
type way struct {
	missing   string
	keep, all bool
	suffix    string // of --unique
}

// reject is the setting of that name.
func (w way) reject() []string {
	if w.missing == "reject" {
		return []string{"missing_field"}
	}
	return nil
}

// TestNoRowWithoutTrace: in every format each row is unique, a duplicate or rejected, and in the file for that; where rejected
// ones are kept, --unique is the input without its duplicates. Verdicts are the same in all formats, but that a table has no
// null: a row without any text is empty there.
func TestNoRowWithoutTrace(t *testing.T) {
	rows := someRows(120)
	var bare []string // rejected, but in a table
	for _, r := range rows {
		if r.Text == nil && r.Note == nil {
			bare = append(bare, r.ID+" rejected")
		}
	}
	paths := inFormats(t, rows)
	for _, w := range []way{
		{"empty", false, false, ""},
		{"empty", true, false, ""},
		{"empty", true, true, ""},
		{"empty", true, false, ".parquet"},
		{"reject", false, false, ""},
		{"reject", true, false, ""},
		{"reject", true, true, ""},
	} {
		var want []string
		for _, name := range []string{"a.jsonl", "sparse.jsonl", "a.json", "a.parquet", "a.csv", "a.tsv"} {
			if w.suffix != "" && name != "a.parquet" {
				continue
			}
			told := fmt.Sprintf("%s, %+v", name, w)
			got := traced(t, told, paths[name], w, rows)
			expected := want
			switch isTable := strings.HasSuffix(name, "sv"); {
			case want == nil:
				want, expected = got, got
			case isTable && w.missing == "reject": // no cell is missing
				continue
			case isTable:
				expected = slices.DeleteFunc(slices.Clone(want), func(fate string) bool { return slices.Contains(bare, fate) })
			}
			if !slices.Equal(got, expected) {
				t.Errorf("%s: the fates are %q; want %q", told, got, expected)
			}
		}
	}
}

// traced judges a file and holds its outputs against its rows. It returns what fates does.
func traced(t *testing.T, told, path string, w way, rows []row) []string {
	t.Helper()
	got, unique, counts := fates(t, path, w)
	if sum := counts.Unique + counts.Duplicate + counts.Rejected; sum != int64(len(rows)) || counts.Documents != sum {
		t.Errorf("%s: counts %+v; want them to be %d together", told, counts, len(rows))
	}
	if int64(len(got)) != counts.Duplicate+counts.Rejected {
		t.Errorf("%s: %d lines of duplicates and rejected ones; want %d", told, len(got), counts.Duplicate+counts.Rejected)
	}
	left := int64(len(rows)) - counts.Duplicate
	if !w.keep {
		left -= counts.Rejected
	}
	if int64(len(unique)) != left {
		t.Errorf("%s: --unique has %d rows; want %d", told, len(unique), left)
	}
	for _, r := range rows {
		_, duplicate := slices.BinarySearch(got, r.ID+" duplicates")
		_, rejected := slices.BinarySearch(got, r.ID+" rejected")
		if there := slices.Contains(unique, r.ID); there != (!duplicate && (!rejected || w.keep)) {
			t.Errorf("%s: row %s is in --unique: %v, and a duplicate: %v, rejected: %v", told, r.ID, there, duplicate, rejected)
		}
	}
	return got
}
