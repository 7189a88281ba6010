package columnar_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"github.com/unecho/unecho/cmd/internal/corpus/columnar"
)

type record struct {
	ID   string  `json:"id"             parquet:"id"`
	Kind string  `json:"kind,omitempty" parquet:"kind,optional,dict"`
	Near float64 `json:"near"           parquet:"near"`
	Line int     `json:"line,omitempty" parquet:"line,optional"`
}

func records(t *testing.T, out io.Writer, all ...record) {
	t.Helper()
	w, err := columnar.NewRecords[record](out, false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if err := w.Write(&all[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestRecords: what is read back is what JSON would have, whatever is in a text; what JSON leaves out is null.
func TestRecords(t *testing.T) {
	written := []record{
		{"a", "same", 1, 3},
		{"", "", 0, 0},
		{"tab\t, \"quotes\", \\, \u2028 and 0\x00", "k\xff", 0.9545, -1},
		{"no \xff\xfe UTF-8 \xe2\x82", "same", 0.0001, 1 << 40},
		{strings.Repeat("long ", 1<<18), "", 0.5, 7},
	}
	var out bytes.Buffer
	records(t, &out, written...)
	got, err := all(out.Bytes(), columnar.Wanted{All: true})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(got), "\n")
	if len(lines) != len(written) || !utf8.ValidString(got) {
		t.Fatalf("%d rows of %d; UTF-8: %v", len(lines), len(written), utf8.ValidString(got))
	}
	for i, line := range lines {
		want, err := json.Marshal(written[i])
		if err != nil {
			t.Fatal(err)
		}
		var a, b record
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("the row %.200q is no JSON of a record: %v", line, err)
		}
		if err := json.Unmarshal(want, &b); err != nil || a != b {
			t.Errorf("%.200q, want %.200q", line, want)
		}
	}
	if !strings.Contains(lines[1], `"kind":null,"near":0,"line":null`) {
		t.Errorf("the row of zero values is %s; want kind and line to be null, and near 0", lines[1])
	}
	out.Reset()
	records(t, &out)
	if got, err := all(out.Bytes(), columnar.Wanted{All: true}); got != "" || err != nil {
		t.Errorf("of no record: %q, %v", got, err)
	}
}

// TestRecordsAreTyped: other programs see texts, numbers and what may be missing.
func TestRecordsAreTyped(t *testing.T) {
	var out bytes.Buffer
	records(t, &out, record{ID: "a"})
	file, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(file.Schema().String()), " ")
	want := "{ required binary id (STRING); optional binary kind (STRING); required double near; optional int64 line (INT(64,true)); }"
	if !strings.HasSuffix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	for _, column := range file.Metadata().RowGroups[0].Columns {
		if column.MetaData.Codec.String() != "ZSTD" {
			t.Errorf("%v is %v", column.MetaData.PathInSchema, column.MetaData.Codec)
		}
	}
}

// TestIntegerIDs: an ID is an integer where all are to be, or null where it is none.
func TestIntegerIDs(t *testing.T) {
	type match struct {
		ID   columnar.ID `parquet:"id"`
		Name string      `parquet:"name"`
		Of   columnar.ID `parquet:"of"`
		Row  int         `parquet:"row,optional"`
	}
	var out bytes.Buffer
	w, err := columnar.NewRecords[match](&out, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []match{
		{"-9223372036854775808", "7", "9223372036854775807", 1}, {"a.parquet:3", "", "9223372036854775808", 0}, {"0", "\xff", "", 3},
	} {
		if err := w.Write(&m); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := `{"id":-9223372036854775808,"name":"7","of":9223372036854775807,"row":1}` + "\n" +
		`{"id":null,"name":"","of":null,"row":null}` + "\n" + `{"id":0,"name":"` + "\ufffd" + `","of":null,"row":3}` + "\n"
	if got, err := all(out.Bytes(), columnar.Wanted{All: true}); got != want || err != nil {
		t.Errorf("records whose ids are integers are written as %s, error %v; want %s and no error", got, err, want)
	}
	file, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(strings.Fields(file.Schema().String()), " "); !strings.Contains(got, "{ optional int64 id (INT(64,true)); required binary name") {
		t.Errorf("the schema is %s; want id to be an optional integer, in its place", got)
	}
}

// TestRecordsInBoundedMemory: a million rows take no more memory than a few groups of them, however many there are.
func TestRecordsInBoundedMemory(t *testing.T) {
	w, err := columnar.NewRecords[record](io.Discard, false)
	if err != nil {
		t.Fatal(err)
	}
	most := uint64(0)
	before := inUse()
	random := rand.NewChaCha8([32]byte{1})
	var id [100]byte
	for i := range 1_000_000 {
		if _, err := random.Read(id[:]); err != nil {
			t.Fatal(err)
		}
		if err := w.Write(&record{ID: base64.StdEncoding.EncodeToString(id[:]), Kind: "jaccard", Near: float64(i%10000) / 10000, Line: i}); err != nil {
			t.Fatal(err)
		}
		if i%100_000 == 99_999 {
			most = max(most, inUse()-min(before, inUse()))
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if most > 96<<20 { // the values of all are 160 MB
		t.Errorf("%d MB", most>>20)
	}
}

// inUse is what is not garbage.
func inUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestLongValues: a file of long values is about as long as they are, and the memory of the copier does not grow with it.
func TestLongValues(t *testing.T) {
	type image struct {
		Bytes []byte `parquet:"bytes,snappy"`
	}
	const size, n = 1 << 20, 200
	var in bytes.Buffer
	w := parquet.NewGenericWriter[image](&in, parquet.DataPageStatistics(false))
	value := bytes.Repeat([]byte("0123456789abcdef"), size/16)
	for i := range n {
		value[0] = byte(i)
		if _, err := w.Write([]image{{value}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	out, end := counter(0), tail{}
	c, _ := copier(t, in.Bytes(), io.MultiWriter(&out, &end))
	before, most := inUse(), uint64(0)
	for i := range int64(n) {
		if err := c.Row(i + 1); err != nil {
			t.Fatal(err)
		}
		if i%50 == 49 {
			most = max(most, inUse()-min(before, inUse()))
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes, %d of them the footer, %d MB of memory", out, end.footer(), most>>20)
	if out > 11<<20 || end.footer() > 16<<10 || most > 100<<20 { // Snappy makes 10 MB of the values
		t.Errorf("%d bytes, %d of them the footer, %d MB of memory", out, end.footer(), most>>20)
	}
}

// tail is the end of what is written.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	*t = append(tail{}, (*t)[max(0, len(*t)-8):]...)
	return len(p), nil
}

// footer is how long the footer of Parquet is.
func (t tail) footer() int { return int(binary.LittleEndian.Uint32(t)) }

type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

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
		if difference := schema.Difference(copied); difference != "" {
			t.Errorf("%s: the copy's schema differs: %s", name, difference)
		}
		for i, chunk := range metadataOf(t, out.Bytes()).RowGroups[0].Columns { // pyarrow and DuckDB open no file with another type
			if was := metadataOf(t, data).RowGroups[0].Columns[i]; chunk.MetaData.Type != was.MetaData.Type {
				t.Errorf("%s: values of column %v are copied as %v; want %v", name, was.MetaData.PathInSchema, chunk.MetaData.Type, was.MetaData.Type)
			}
		}
	}
}
