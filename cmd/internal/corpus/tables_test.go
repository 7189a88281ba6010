package corpus_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/corpus/columnar"
)

const tables = "columnar/testdata/"

// TestParquet: rows of a Parquet file are the documents that the same rows are as JSON, whatever Raw is.
func TestParquet(t *testing.T) {
	for _, fields := range [][]string{{"text"}, {"cat", "text"}, {"meta.tags"}, {"meta.lang", "uuid"}, {"structs.b"}} {
		p := corpus.DefaultParams()
		p.Fields = fields
		want, lines, err := read(t, p, tables+"rows.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		for rows, raw := range map[corpus.RowsAs]func(string) bool{
			corpus.RowsWhole:  func(raw string) bool { return raw == strings.ReplaceAll(string(lines), "\n", "") },
			corpus.RowsWanted: func(raw string) bool { return strings.HasPrefix(raw, `{"id":"a0",`) },
		} {
			p.Rows = rows
			got, all, err := read(t, p, tables+"v1.parquet")
			for i := range got {
				got[i] = strings.Replace(got[i], "v1.parquet", "rows.jsonl", 1)
			}
			if err != nil || !slices.Equal(got, want) || !raw(string(all)) {
				t.Errorf("%v: %q, %q, %v; want %q", fields, got, all, err, want)
			}
		}
	}
}

// TestParquetMistakes: columns that are nowhere, and what is no file to read from its end.
func TestParquetMistakes(t *testing.T) {
	data, err := os.ReadFile(tables + "v1.parquet")
	if err != nil {
		t.Fatal(err)
	}
	p := corpus.DefaultParams()
	p.Fields = []string{"body"}
	if _, _, err := read(t, p, tables+"v1.parquet"); err == nil ||
		!strings.Contains(err.Error(), `v1.parquet: no column is called "body"; there are "id", "meta", "text", "cat"`) {
		t.Errorf("reading the column body says %v; want that there is none, and which there are", err)
	}
	p.Fields, p.ID, p.MustID = []string{"text"}, "sku", true
	if _, _, err := read(t, p, tables+"v1.parquet"); err == nil || !strings.Contains(err.Error(), `no column is called "sku"`) {
		t.Errorf("reading ids of the column sku says %v; want that there is none", err)
	}
	p = corpus.DefaultParams()
	cut := file(t, "cut.parquet", string(data[:len(data)/2]))
	damaged := []byte(strings.Clone(string(data)))
	copy(damaged[2000:], make([]byte, 3000))
	got, _, err := read(t, p, cut, file(t, "damaged", string(damaged)), file(t, "last.txt", "one\n"))
	if err != nil || len(got) < 3 || got[0] != "cut.parquet 0 [] rejected: unreadable" || got[len(got)-1] != "last.txt 1 [] one" ||
		!strings.HasSuffix(got[len(got)-2], "rejected: unreadable") {
		t.Errorf("a cut file, a damaged one and a text read as %q, error %v; want two files rejected as unreadable, one, and no error", got, err)
	}
	if got, _, err := read(t, p, file(t, "a.parquet", "text\none\n")); err != nil ||
		!slices.Equal(got, []string{"a.parquet 0 [] rejected: unreadable"}) {
		t.Errorf("a text that is named a.parquet reads as %q, error %v; want it rejected as unreadable, and no error", got, err)
	}
	list := filepath.Join(tables, "v1.parquet") + "\n"
	if got, _, err := readSources(t, p, corpus.Listed(strings.NewReader(list), '\n')); err != nil || len(got) != 7 {
		t.Errorf("the listed Parquet file reads as %q, error %v; want 7 rows and no error", got, err)
	}
}

// TestLongRow: of a row whose text is too long for what is judged and for the whole row, that is said once.
func TestLongRow(t *testing.T) {
	type record struct {
		Text string `parquet:"text"`
	}
	long := parquetOf(t, record{strings.Repeat("a", columnar.MaxRow+1)})
	p := corpus.DefaultParams()
	p.Strict, p.Rows = true, corpus.RowsWhole
	_, _, err := read(t, p, file(t, "long.parquet", long))
	if err == nil || strings.Count(err.Error(), "the row is longer than 64 MiB") != 1 {
		t.Errorf("reading a row of more than 64 MiB says %v; want once that it is longer", err)
	}
}

// dotted is a row of columns with dots in their names.
type dotted struct {
	ID   string `parquet:"the.id"`
	Text string `parquet:"a.text"`
	Meta struct {
		Text string `parquet:"b.text"`
	} `parquet:"meta"`
}

func parquetOf[T any](t *testing.T, rows ...T) string {
	t.Helper()
	var out bytes.Buffer
	w, err := columnar.NewRecords[T](&out, false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if err := w.Write(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestDottedNames: a dot in the name of a field is written \. in every format.
func TestDottedNames(t *testing.T) {
	shelf := dotted{ID: "7", Text: "one"}
	shelf.Meta.Text = "two"
	row := `{"the.id":"7","a.text":"one","meta":{"b.text":"two"}}`
	for name, content := range map[string]string{
		"a.jsonl": row, "a.json": "[" + row + "]", "a.parquet": parquetOf(t, shelf),
		"a.csv": "the.id,a.text,meta\n7,one,\n", "a.tsv": "the.id\ta.text\tmeta\n7\tone\t\n",
	} {
		p := corpus.DefaultParams()
		p.Fields, p.ID, p.MustID = []string{`a\.text`}, `the\.id`, true
		want := []string{name + " 1 [7] one"}
		if isTable := strings.HasSuffix(name, "sv"); !isTable {
			p.Fields, want = []string{`a\.text`, `meta.b\.text`}, []string{name + " 1 [7] one\ntwo"}
		}
		if got, _, err := read(t, p, file(t, name, content)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s by the fields %q reads as %q, error %v; want %q and no error", name, p.Fields, got, err, want)
		}
		if p.Fields = []string{`no`}; strings.HasSuffix(name, "n") || strings.HasSuffix(name, "l") {
			continue
		}
		if _, _, err := read(t, p, file(t, name, content)); err == nil || !strings.Contains(err.Error(), `there are "the\.id", "a\.text", "meta"`) {
			t.Errorf("%s by the field no reads with %v; want an error with columns as they are named", name, err)
		}
	}
}

// TestIDs: the kind of ids of several files. A file without ids, or with a column of nulls only, leaves that of the others.
func TestIDs(t *testing.T) {
	none := file(t, "none.parquet", parquetOf(t, struct {
		Text string `parquet:"text"`
	}{"one"}))
	numbers := file(t, "numbers.parquet", parquetOf(t, struct {
		ID int `parquet:"nul"` // in v1.parquet it is of the type Null
	}{7}))
	lines := file(t, "a.jsonl", "{\"i8\":1,\"text\":\"one\"}\n")
	v1 := tables + "v1.parquet"
	for _, test := range []struct {
		id    string
		paths []string
		want  corpus.IDs
	}{
		{"i8", []string{v1}, corpus.IntegerIDs},
		{"i8", []string{none, v1}, corpus.IntegerIDs},
		{"nul", []string{numbers, v1}, corpus.IntegerIDs},
		{"nul", []string{none, v1}, corpus.NoIDs},
		{"i8", []string{v1, lines}, corpus.OtherIDs},
		{"dec", []string{v1}, corpus.OtherIDs},
		{"meta", []string{v1}, corpus.OtherIDs},
		{"text", []string{none}, corpus.OtherIDs},
	} {
		sources, _, err := corpus.Files(test.paths)
		if err != nil {
			t.Fatal(err)
		}
		if _, got, err := sources.IDs(test.id); err != nil || got != test.want {
			t.Errorf("ids %s of %q are of kind %d, error %v; want %d and no error", test.id, test.paths, got, err, test.want)
		}
	}
}
