package corpus_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/corpus/columnar"
)

// dotted is a row of columns with dots in their names.
type dotted struct {
	ID   string `parquet:"the.id"`
	Text string `parquet:"a.text"`
	Meta struct {
		Text string `parquet:"b.text"`
	} `parquet:"meta"`
}

// parquetOf are rows as a file.
func parquetOf[T any](t *testing.T, rows ...T) string {
	t.Helper()
	var out bytes.Buffer
	w, err := columnar.NewRecords[T](&out)
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
