package columnar

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

type boundedRow struct {
	Text  string   `parquet:"text,dict"`
	Raw   []byte   `parquet:"raw,optional"`
	List  []string `parquet:"list,list"`
	Whole int64    `parquet:"whole"`
}

// TestBounds: in each page and each chunk of a file, the bounds hold for all values, whatever these begin with, and the
// pages are in the order that the file says.
func TestBounds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	starts := []string{
		"", "a", "Zürich", "\U0010ffff", strings.Repeat("\U0010ffff", 9), "\xff", strings.Repeat("\xff", 40),
		strings.Repeat("\xff", 100_000), "\x80\x80", "\xc3", "\xed\x9f\xbf", strings.Repeat("\ud7ff", 6), "\x00", strings.Repeat("\x7f", 17),
	}
	value := func(of int) string {
		return starts[random.IntN(of)] + strings.Repeat(string(rune(random.IntN(0x3000))), random.IntN(40)) + starts[random.IntN(of)]
	}
	var out bytes.Buffer
	schema := parquet.SchemaOf(new(boundedRow))
	g := newGroups(&out, 2<<20, schema)
	for n := range 4000 {
		of := min(1+n/200, len(starts)) // groups at first have no values that are hard to bound
		row := boundedRow{Text: value(of), List: []string{value(of), value(of)}[:random.IntN(3)], Whole: int64(n)}
		if n%3 > 0 && n > 500 {
			row.Raw = []byte(value(of))
		}
		if err := g.write(schema.Deconstruct(g.empty(), &row)); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.close(); err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	groups := file.RowGroups()
	if len(groups) < 4 {
		t.Errorf("%d groups", len(groups))
	}
	for n, group := range groups {
		for c, chunk := range group.ColumnChunks() {
			stats := file.Metadata().RowGroups[n].Columns[c].MetaData.Statistics
			checkChunk(t, chunk, stats.MinValue, stats.MaxValue)
		}
	}
}

// checkChunk checks the bounds of a chunk and of its pages.
func checkChunk(t *testing.T, chunk parquet.ColumnChunk, least, most []byte) {
	t.Helper()
	index, err := chunk.ColumnIndex()
	if err != nil {
		t.Fatal(err)
	}
	kind := chunk.Type().Kind()
	if kind == parquet.ByteArray && (least != nil || most != nil) {
		t.Errorf("column %d: the chunk has whole values as bounds", chunk.Column())
	}
	pages := chunk.Pages()
	defer pages.Close()
	for i := range index.NumPages() {
		page, err := pages.ReadPage()
		if err != nil {
			t.Fatal(err)
		}
		values := make([]parquet.Value, page.NumValues())
		n, _ := page.Values().ReadValues(values) // with io.EOF at the end
		if int64(n) != page.NumValues() {
			t.Fatalf("%d of %d values", n, page.NumValues())
		}
		for _, v := range values {
			if v.IsNull() {
				continue
			}
			in := chunk.Type().Compare(index.MinValue(i), v) <= 0 && chunk.Type().Compare(v, index.MaxValue(i)) <= 0
			if !in || index.NullPage(i) {
				t.Fatalf("column %d: %.60q is not in %.60q to %.60q", chunk.Column(), v.Bytes(), index.MinValue(i).Bytes(), index.MaxValue(i).Bytes())
			}
			if least != nil && (chunk.Type().Compare(kind.Value(least), v) > 0 || chunk.Type().Compare(v, kind.Value(most)) > 0) {
				t.Fatalf("column %d: %.60q is not in the chunk's %.60q to %.60q", chunk.Column(), v.Bytes(), least, most)
			}
		}
		if i > 0 && index.IsAscending() && !index.NullPage(i) && !index.NullPage(i-1) &&
			(chunk.Type().Compare(index.MinValue(i-1), index.MinValue(i)) > 0 || chunk.Type().Compare(index.MaxValue(i-1), index.MaxValue(i)) > 0) {
			t.Errorf("column %d: page %d is not in order", chunk.Column(), i)
		}
	}
}

// TestLongBound: a value that has no short bound does not stand once for each page of a whole group.
func TestLongBound(t *testing.T) {
	type raw struct {
		Raw []byte `parquet:"raw,plain"`
	}
	schema, most := parquet.SchemaOf(new(raw)), 8<<20
	var out bytes.Buffer
	g := newGroups(&out, most, schema)
	for n := range 30 {
		value := make([]byte, 300_000)
		if n%10 == 0 {
			value = bytes.Repeat([]byte{0xff}, 3<<20)
		} else {
			value[0] = byte(n)
		}
		if err := g.write(schema.Deconstruct(g.empty(), &raw{value})); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.close(); err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for n, group := range file.RowGroups() {
		index, err := group.ColumnChunks()[0].ColumnIndex()
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for i := range index.NumPages() {
			sum += len(index.MaxValue(i).ByteArray())
		}
		if sum > most {
			t.Errorf("group %d: %d bytes of bounds", n, sum)
		}
	}
}

// TestBoundedColumns: decimals are not in the order of their bytes.
func TestBoundedColumns(t *testing.T) {
	all, options := boundless(parquet.NewSchema("row", parquet.Group{
		"decimal": parquet.Decimal(0, 40, parquet.ByteArrayType), "enum": parquet.Enum(), "fixed": parquet.Leaf(parquet.FixedLenByteArrayType(4)),
		"json": parquet.JSON(), "number": parquet.Int(64), "raw": parquet.Leaf(parquet.ByteArrayType), "text": parquet.List(parquet.String()),
	}))
	for _, n := range []int{1, 3, 5, 6} {
		if _, ok := all[n]; !ok {
			t.Errorf("column %d is left to the library", n)
		}
	}
	if len(all) != 4 || len(options) != 4 {
		t.Errorf("%d columns, %d options", len(all), len(options))
	}
}
