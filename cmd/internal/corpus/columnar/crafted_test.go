package columnar_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/unecho/unecho/cmd/internal/corpus/columnar"
)

// bombs are files whose pages or metadata say that they hold more than there is, by what an error about them has to say.
func bombs() map[string]struct {
	file crafted
	says string
} {
	const (
		indexes, plain, delta, deltaLength, deltaBytes = format.RLEDictionary, format.Plain, format.DeltaBinaryPacked, format.DeltaLengthByteArray, format.DeltaByteArray

		many, most = 1 << 18, math.MaxInt32
	)
	one := dictionary(1, longs(7))
	all := bytes.Repeat([]byte{1}, many)
	long := bytes.Repeat(run(1<<20, 0), 4000) // 16 kB, and 16 GB in memory
	type bomb = struct {
		file crafted
		says string
	}
	return map[string]bomb{
		"indexes":               {crafted{kind: format.Int64, rows: 10, pages: []craftedPage{one, plainPage(10, indexes, []byte{1}, run(most, 0))}}, "a run in a page"},
		"many runs of indexes":  {crafted{kind: format.Int64, rows: 10, pages: []craftedPage{one, plainPage(10, indexes, []byte{1}, long)}}, "runs of more"},
		"packed indexes":        {crafted{kind: format.Int64, rows: 10, pages: []craftedPage{one, plainPage(10, indexes, []byte{0}, numbers(1<<24|1))}}, "runs of more"},
		"levels":                {crafted{kind: format.Int64, rows: 10, optional: true, pages: []craftedPage{plainPage(10, plain, prefixed(long), longs(1))}}, "runs of levels"},
		"levels of version 2":   {crafted{kind: format.Int64, rows: 10, optional: true, pages: []craftedPage{page2(10, plain, int32(len(long)), long, longs(1))}}, "runs of levels"},
		"booleans":              {crafted{kind: format.Boolean, rows: 10, pages: []craftedPage{plainPage(10, format.RLE, prefixed(long))}}, "runs of more"},
		"values of a page":      {crafted{kind: format.ByteArray, rows: 10, pages: []craftedPage{plainPage(1<<26, plain, longs(0))}}, "a page has"},
		"values of a dict":      {crafted{kind: format.ByteArray, rows: 10, pages: []craftedPage{dictionary(1<<26, longs(0)), plainPage(10, indexes, []byte{1}, run(10, 0))}}, "a page has"},
		"differences":           {crafted{kind: format.Int64, rows: 10, pages: []craftedPage{plainPage(10, delta, numbers(128, 4, most, 0))}}, "differences of"},
		"lengths":               {crafted{kind: format.ByteArray, rows: 10, pages: []craftedPage{plainPage(10, deltaLength, numbers(128, 4, most, 0))}}, "differences of"},
		"beginnings":            {crafted{kind: format.ByteArray, rows: many, pages: []craftedPage{plainPage(many, deltaBytes, differences(many, 0, many), differences(many, many, 0), all)}}, "the limit is"},
		"a least value":         {crafted{kind: format.Int64, rows: 10, pages: []craftedPage{{raw: slices.Concat([]byte{0x5c, 0x5c, 0x18}, numbers(1<<30), []byte("less"))}}}, "a value of 1073741824 bytes"},
		"a list in the schema":  {crafted{kind: format.Int64, rows: 1, change: func(m *format.FileMetaData) { m.Schema[0].NumChildren = thrift.New[int32](most) }}, "column"},
		"a row group's columns": {crafted{kind: format.Int64, rows: 1, change: func(m *format.FileMetaData) { m.RowGroups = make([]format.RowGroup, 1000) }}, "has 0 columns, the schema 1"},
	}
}

// taken returns how much memory work takes.
func taken(work func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestBoundedMemory: whatever a file of some kilobytes says, reading it takes a bounded memory, and the error says what is
// wrong with it.
func TestBoundedMemory(t *testing.T) {
	const most = 32 << 20
	for name, test := range bombs() {
		data := test.file.file(t)
		var err error
		taken := taken(func() { _, err = all(data, columnar.Wanted{All: true}) })
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: reading %d bytes says %v; want an error that says %q", name, len(data), err, test.says)
		}
		if taken > most {
			t.Errorf("%s: reading %d bytes took %d bytes of memory; want at most %d", name, len(data), taken, most)
		}
	}
}

// TestNestedLists: lists in lists, in metadata and in the header of a page, end the reading and not the process.
func TestNestedLists(t *testing.T) {
	const deep = 1 << 20 // a list of one list, each in a byte
	lists := bytes.Repeat([]byte{0x19}, deep)
	footer := append([]byte("PAR1"), lists...)
	footer = append(binary.LittleEndian.AppendUint32(footer, deep), "PAR1"...)
	page := crafted{kind: format.Int64, rows: 1, pages: []craftedPage{{raw: lists}}}
	for name, data := range map[string][]byte{"metadata": footer, "a page": page.file(t)} {
		if _, err := all(data, columnar.Wanted{All: true}); err == nil || !strings.Contains(err.Error(), "nested too deep") {
			t.Errorf("%s: reading lists in lists says %v; want that they are nested too deep", name, err)
		}
	}
}

// TestManyElements: a schema of a byte for each element is refused before memory is made for what they would be.
func TestManyElements(t *testing.T) {
	const many = 1 << 20
	footer := append([]byte{0x15, 0x02, 0x19, 0xfc}, numbers(many)...) // version 1, and so many structs without a field
	footer = append(footer, make([]byte, many)...)
	data := append([]byte("PAR1"), footer...)
	data = append(binary.LittleEndian.AppendUint32(data, uint32(len(footer))), "PAR1"...)
	var err error
	taken := taken(func() { _, err = all(data, columnar.Wanted{All: true}) })
	if err == nil || !strings.Contains(err.Error(), "its schema has 1048576 elements") {
		t.Errorf("reading a schema of %d elements says %v; want that there are so many", many, err)
	}
	if taken > 32<<20 {
		t.Errorf("refusing %d elements took %d bytes of memory; want at most 32 MiB", many, taken)
	}
}

// TestLongValue: a value that makes its row longer than MaxRow is not written as JSON, in which it may have six times its
// bytes, and the row behind it is read.
func TestLongValue(t *testing.T) {
	long := bytes.Repeat([]byte{1}, columnar.MaxRow+1)
	file := crafted{kind: format.ByteArray, rows: 2, codec: format.Snappy}
	page := plainPage(2, format.Plain, prefixed(long), prefixed([]byte("x")))
	page.header.UncompressedPageSize, page.data = int32(len(page.data)), snappy.Encode(nil, page.data)
	file.pages = []craftedPage{page}
	data := file.file(t)
	r, err := columnar.Open(bytes.NewReader(data), int64(len(data)), columnar.Wanted{All: true, Texts: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	var row []byte
	taken := taken(func() { row, err = r.Append(nil) })
	if !errors.Is(err, columnar.ErrTooLarge) || len(row) > 0 {
		t.Errorf("a row of %d bytes is one of %d as JSON, error %v; want none, and that it is too long", len(long), len(row), err)
	}
	if taken > 6*uint64(len(long)) {
		t.Errorf("refusing a row of %d bytes took %d bytes of memory; want at most six times as many", len(long), taken)
	}
	if row, err = r.Append(nil); err != nil || string(row) != "{\"a\":\"x\"}" {
		t.Errorf("the row behind it is %.40q, error %v; want x and no error", row, err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestHalves: numbers of two bytes are numbers. The values are those of IEEE 754.
func TestHalves(t *testing.T) {
	values := []byte{0x00, 0x3c, 0x00, 0xc0, 0x01, 0x00, 0xff, 0x7b, 0x66, 0x2e, 0x00, 0x7c, 0x00, 0xfc, 0x00, 0x7e, 0x00, 0x00}
	const count = 9
	file := crafted{
		kind: format.FixedLenByteArray, length: 2, rows: count, pages: []craftedPage{plainPage(count, format.Plain, values)},
		change: func(m *format.FileMetaData) {
			m.Schema[1].LogicalType = format.LogicalType{Value: &format.Float16Type{}}
		},
	}
	want := ""
	for _, n := range []string{"1", "-2", "5.9604645e-08", "65504", "0.099975586", `"+Inf"`, `"-Inf"`, `"NaN"`, "0"} {
		want += "{\"a\":" + n + "}\n"
	}
	if got, err := all(file.file(t), columnar.Wanted{All: true}); err != nil || got != want {
		t.Errorf("the rows are %s, error %v; want %s", got, err, want)
	}
}

// contradictions are files that contradict themselves.
func contradictions() map[string]crafted {
	const indexes, plain = format.RLEDictionary, format.Plain
	one := dictionary(1, longs(7))
	int64s := func(pages ...craftedPage) crafted { return crafted{kind: format.Int64, rows: 10, pages: pages} }
	return map[string]crafted{
		"an index behind the dictionary":   int64s(one, plainPage(10, indexes, []byte{8}, run(10, 200))),
		"a packed index behind it":         int64s(one, plainPage(8, indexes, []byte{8, 3}, longs(math.MaxUint64))),
		"no dictionary":                    int64s(plainPage(10, indexes, []byte{8}, run(10, 0))),
		"an index without a value":         int64s(one, plainPage(10, indexes, []byte{8, 20})),
		"indexes of 40 bits":               int64s(one, plainPage(10, indexes, []byte{40, 20, 0, 0, 0, 0, 0})),
		"fewer values than said":           int64s(plainPage(10, plain, longs(1, 2, 3))),
		"fewer values than said, 2":        int64s(page2(10, plain, 0, longs(1, 2, 3))),
		"no levels":                        {kind: format.Int64, rows: 10, optional: true, pages: []craftedPage{plainPage(10, plain)}},
		"levels behind the page":           {kind: format.Int64, rows: 10, optional: true, pages: []craftedPage{plainPage(10, plain, longs(99))}},
		"no levels of version 2":           {kind: format.Int64, rows: 10, optional: true, pages: []craftedPage{page2(10, plain, 0, longs(1))}},
		"lists without levels":             {kind: format.Int64, rows: 10, repeated: true, pages: []craftedPage{page2(10, plain, 0, longs(1))}},
		"lists without levels, 1":          {kind: format.Int64, rows: 10, repeated: true, pages: []craftedPage{plainPage(10, plain, longs(1))}},
		"levels behind a page 2":           {kind: format.Int64, rows: 10, optional: true, pages: []craftedPage{page2(10, plain, 99, longs(1))}},
		"negative levels":                  {kind: format.Int64, rows: 10, optional: true, pages: []craftedPage{page2(10, plain, -4, longs(1))}},
		"a text behind the page":           {kind: format.ByteArray, rows: 10, pages: []craftedPage{plainPage(1, plain, longs(1<<20|5))}},
		"fewer texts than said":            {kind: format.ByteArray, rows: 10, pages: []craftedPage{plainPage(10, plain, prefixed([]byte("a")))}},
		"a text of negative length":        {kind: format.ByteArray, rows: 10, pages: []craftedPage{plainPage(10, format.DeltaLengthByteArray, differences(10, -5, 1))}},
		"texts behind the page":            {kind: format.ByteArray, rows: 10, pages: []craftedPage{plainPage(10, format.DeltaLengthByteArray, differences(10, 1<<30, 1<<30))}},
		"beginnings of nothing":            {kind: format.ByteArray, rows: 10, pages: []craftedPage{plainPage(10, format.DeltaByteArray, differences(10, 9, 9), differences(10, 0, 0))}},
		"differences without blocks":       int64s(plainPage(10, format.DeltaBinaryPacked, numbers(0, 0, 10, 0))),
		"differences that end early":       int64s(plainPage(10, format.DeltaBinaryPacked, numbers(128, 4, 10, 0))),
		"differences of 200 bits":          int64s(plainPage(10, format.DeltaBinaryPacked, numbers(128, 4, 10, 0), []byte{0, 200, 200, 200, 200, 1})),
		"runs of booleans behind the page": {kind: format.Boolean, rows: 10, pages: []craftedPage{plainPage(10, format.RLE, longs(99))}},
		"runs of no booleans":              {kind: format.Boolean, rows: 10, pages: []craftedPage{plainPage(10, format.RLE, prefixed(nil))}},
		"fixed values of no length":        {kind: format.FixedLenByteArray, rows: 10, pages: []craftedPage{plainPage(10, plain, longs(1))}},
		"fixed values of length -1":        {kind: format.FixedLenByteArray, length: -1, rows: 10, pages: []craftedPage{plainPage(10, plain, longs(1))}},
		"part of a fixed value":            {kind: format.FixedLenByteArray, length: 16, rows: 10, pages: []craftedPage{plainPage(1, plain, longs(1))}},
		"an unknown encoding":              int64s(plainPage(10, 77, longs(1))),
		"an unknown type":                  {kind: 77, rows: 10, pages: []craftedPage{plainPage(1, plain, longs(1))}},
		"an encoding of another type":      {kind: format.Double, rows: 10, pages: []craftedPage{plainPage(1, format.DeltaByteArray, longs(1))}},
		"more values than rows":            int64s(plainPage(11, plain, longs(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11))),
		"more pages than rows":             int64s(plainPage(10, plain, longs(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)), plainPage(1, plain, longs(11))),
		"too few pages":                    int64s(plainPage(1, plain, longs(1))),
		"no pages":                         int64s(),
		"negative values":                  int64s(plainPage(-1, plain, longs(1))),
		"negative children": {kind: format.Int64, rows: 1, change: func(m *format.FileMetaData) {
			m.Schema[0].NumChildren = thrift.New[int32](-1)
		}},
		"children of a column": {kind: format.Int64, rows: 1, change: func(m *format.FileMetaData) { m.Schema[1].NumChildren = thrift.New[int32](1) }},
		"no schema":            {kind: format.Int64, rows: 1, change: func(m *format.FileMetaData) { m.Schema = nil }},
		"two roots":            {kind: format.Int64, rows: 1, change: func(m *format.FileMetaData) { m.Schema = append(m.Schema, m.Schema[1]) }},
		"a decimal of booleans": {kind: format.Boolean, rows: 1, change: func(m *format.FileMetaData) {
			m.Schema[1].LogicalType = format.LogicalType{Value: &format.DecimalType{Scale: 1, Precision: 9}}
		}},
		"a column before the file": {kind: format.Int64, rows: 1, change: func(m *format.FileMetaData) {
			m.RowGroups[0].Columns[0].MetaData.DataPageOffset = -5
		}},
		"a column of another type": {kind: format.Int64, rows: 1, pages: []craftedPage{plainPage(1, plain, longs(1))}, change: func(m *format.FileMetaData) {
			m.Schema[1].Type = thrift.New(format.ByteArray)
		}},
	}
}

// TestContradictions: a file that contradicts itself is damaged, and the error is about the file.
func TestContradictions(t *testing.T) {
	for name, file := range contradictions() {
		data := file.file(t)
		_, err := all(data, columnar.Wanted{All: true})
		checkDamaged(t, name, err)
		if _, err := columnar.SchemaOf(bytes.NewReader(data), int64(len(data))); err != nil {
			checkDamaged(t, name+": the schema", err)
		}
	}
}

// checkDamaged reports an error that does not say that the file is damaged, or says where in the program that was found.
func checkDamaged(t *testing.T, name string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: it is read without an error; want that it is damaged", name)
		return
	}
	checkText(t, name, err)
}

// checkText reports an error that says where in the program it comes from.
func checkText(t *testing.T, name string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	for _, place := range []string{"runtime error", "nil pointer", "reflect", "makeslice", "goroutine"} {
		if strings.Contains(err.Error(), place) {
			t.Errorf("%s: reading it says %v; want an error about the file", name, err)
		}
	}
}

// TestDictionaryBooleans: booleans of a dictionary are read, and written as no such, for pyarrow reads none. Impala says
// that it has written a dictionary where it has not.
func TestDictionaryBooleans(t *testing.T) {
	const want = "{\"a\":false}\n{\"a\":true}\n{\"a\":true}\n{\"a\":false}\n"
	for name, file := range map[string]crafted{
		"a dictionary": {kind: format.Boolean, rows: 4, pages: []craftedPage{
			dictionary(2, []byte{0b10}), plainPage(4, format.RLEDictionary, []byte{1, 3, 0b0110}),
		}},
		"Impala's": {
			kind: format.Boolean, rows: 4, encodings: []format.Encoding{format.RLE, format.PlainDictionary}, //nolint:staticcheck // as Impala does
			pages: []craftedPage{plainPage(4, format.Plain, []byte{0b0110})},
		},
	} {
		data := file.file(t)
		if got, err := all(data, columnar.Wanted{All: true}); err != nil || got != want {
			t.Errorf("%s: the rows are %q, error %v; want %q and no error", name, got, err, want)
		}
		copied := copyOf(t, data, 4)
		if got, err := all(copied, columnar.Wanted{All: true}); err != nil || got != want {
			t.Errorf("%s: the rows of the copy are %q, error %v; want %q and no error", name, got, err, want)
		}
		if meta := metadataOf(t, copied); meta.RowGroups[0].Columns[0].MetaData.DictionaryPageOffset != 0 {
			t.Errorf("%s: the copy has a dictionary at %d; want none", name, meta.RowGroups[0].Columns[0].MetaData.DictionaryPageOffset)
		}
	}
}

// copyOf copies so many rows of a file.
func copyOf(t *testing.T, data []byte, rows int64) []byte {
	t.Helper()
	var out bytes.Buffer
	c, _ := copier(t, data, &out)
	for row := range rows {
		if err := c.Row(row + 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// copier copies rows of a file.
func copier(t *testing.T, data []byte, out io.Writer) (*columnar.Copier, *columnar.Schema) {
	t.Helper()
	in := bytes.NewReader(data)
	schema, err := columnar.SchemaOf(in, in.Size())
	if err != nil {
		t.Fatal(err)
	}
	c, err := columnar.NewCopier(out, schema)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.From(in, in.Size()); err != nil {
		t.Fatal(err)
	}
	return c, schema
}

func metadataOf(t *testing.T, data []byte) (meta format.FileMetaData) {
	t.Helper()
	var protocol thrift.CompactProtocol
	if err := thrift.Unmarshal(&protocol, footerOf(data), &meta); err != nil {
		t.Fatal(err)
	}
	return meta
}

// TestPagesOfOldWriters: pages of version 2 that pyarrow before 3.0 packed and called unpacked are read, and those of
// others are taken at their word.
func TestPagesOfOldWriters(t *testing.T) {
	values := longs(1, 2, 3, 4, 5, 6, 7, 8)
	packed := snappy.Encode(nil, values)
	old := page2(8, format.Plain, 2, run(8, 1), packed)
	old.header.UncompressedPageSize = int32(2 + len(values))
	file := crafted{
		kind: format.Int64, rows: 8, optional: true, codec: format.Snappy, pages: []craftedPage{old}, program: "parquet-cpp version 1.5.1-SNAPSHOT",
	}
	if got, err := all(file.file(t), columnar.Wanted{All: true}); err != nil || !strings.HasPrefix(got, "{\"a\":1}\n{\"a\":2}\n") {
		t.Errorf("the rows of %s are %q, error %v; want those of 1 to 8 and no error", file.program, got, err)
	}
	file.program = "parquet-cpp-arrow version 3.0.0"
	if got, err := all(file.file(t), columnar.Wanted{All: true}); !errors.Is(err, columnar.ErrDamaged) {
		t.Errorf("the rows of %s are %q, error %v; want that the page is damaged", file.program, got, err)
	}
	file.pages = []craftedPage{page2(8, format.Plain, 2, run(8, 1), values)}
	if got, err := all(file.file(t), columnar.Wanted{All: true}); err != nil || !strings.HasPrefix(got, "{\"a\":1}\n{\"a\":2}\n") {
		t.Errorf("the rows of unpacked pages are %q, error %v; want those of 1 to 8 and no error", got, err)
	}
}

// TestNotesWithoutValues: a key in the metadata of a file, or of a column, need not have a value.
func TestNotesWithoutValues(t *testing.T) {
	notes := []format.KeyValue{{Key: "lonely"}, {Key: "pandas", Value: "{}"}, {Key: "last"}}
	file := crafted{kind: format.Int64, rows: 1, pages: []craftedPage{plainPage(1, format.Plain, longs(7))}, change: func(m *format.FileMetaData) {
		m.KeyValueMetadata, m.RowGroups[0].Columns[0].MetaData.KeyValueMetadata = notes, notes
	}}
	data := file.file(t)
	valued := bytes.Count(data, []byte("lonely\x18\x00"))
	data = withoutEmpty(data)
	if valued != 2 || bytes.Contains(data, []byte("lonely\x18\x00")) {
		t.Fatalf("the file has %d notes without a value to take away; want 2", valued)
	}
	if got, err := all(data, columnar.Wanted{All: true}); err != nil || got != "{\"a\":7}\n" {
		t.Errorf("the rows are %q, error %v; want one of 7 and no error", got, err)
	}
	copied := metadataOf(t, copyOf(t, data, 1))
	if len(copied.KeyValueMetadata) != len(notes) {
		t.Errorf("the copy has the notes %v; want %v", copied.KeyValueMetadata, notes)
	}
}

func footerOf(data []byte) []byte {
	end := len(data) - 8
	return data[end-int(binary.LittleEndian.Uint32(data[end:])) : end]
}

// withoutEmpty takes the empty values of notes away.
func withoutEmpty(data []byte) []byte {
	footer := footerOf(data)
	short := footer
	for _, key := range []string{"lonely", "last"} {
		short = bytes.ReplaceAll(short, []byte(key+"\x18\x00"), []byte(key))
	}
	out := append(bytes.Clone(data[:len(data)-8-len(footer)]), short...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(short)))
	return append(out, "PAR1"...)
}
