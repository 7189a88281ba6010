package columnar_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/corpus/columnar"
)

// TestCopier: rows are copied with all columns and types, whatever they were compressed by, and what is copied of several
// files is one.
func TestCopier(t *testing.T) {
	lines := strings.SplitAfter(string(golden(t, "rows.jsonl")), "\n")
	for _, name := range []string{"v1", "v2", "lz4", "gzip", "brotli"} {
		data := golden(t, name+".parquet")
		var out bytes.Buffer
		c, schema := copier(t, data, &out)
		want := ""
		for range 2 { // the first time it is open already
			if err := c.From(bytes.NewReader(data), int64(len(data))); err != nil {
				t.Fatal(err)
			}
			for _, row := range []int64{1, 3, 4, 7} {
				if err := c.Row(row); err != nil {
					t.Fatalf("%s: row %d: %v", name, row, err)
				}
				want += lines[row-1]
			}
		}
		if err := c.Row(8); err == nil || !strings.Contains(err.Error(), "it has 7 rows, and no row 8") {
			t.Errorf("%s: copying row 8 says %v; want that it has 7 rows", name, err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if got, err := all(out.Bytes(), columnar.Wanted{All: true}); err != nil || got != want {
			t.Errorf("%s: %s, %v\nwant %s", name, got, err, want)
		}
		copied, err := columnar.SchemaOf(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if column, same := schema.Same(copied); !same {
			t.Errorf("%s: column %s is another", name, column)
		}
	}
}
