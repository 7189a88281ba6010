package columnar

import (
	"bytes"
	"io"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// groupBytes is about how large a row group is written, in bytes of its values. Records are short, and several files of
// them may be open.
const (
	groupBytes       = 64 << 20
	recordGroupBytes = 16 << 20
)

// groups writes rows as groups of a bounded size.
type groups struct {
	out   *parquet.GenericWriter[any]
	most  int // bytes of a group
	row   []parquet.Row
	runs  map[int]int // column of texts or bytes -> bytes 0xff that a value of the present group begins with, at most
	rows  int         // of the present group
	bytes int         // of its values
	bound int         // bytes of its longest bound
}

// newGroups begins a file. Texts that come again are written once, and others as they are: some programs read no other
// encoding of them. Pages have no statistics of their own: the library writes the least and the greatest value of a
// page four times, and where values are long no other program reads such a page.
func newGroups(out io.Writer, most int, schema *parquet.Schema, options ...parquet.WriterOption) *groups {
	all, skip := boundless(schema)
	options = append(append(options, schema), skip...)
	options = append(options, parquet.Compression(&parquet.Zstd), parquet.DataPageVersion(1), parquet.DataPageStatistics(false),
		parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.RLEDictionary), parquet.CreatedBy("unecho", "", ""), &parquet.WriterConfig{DictionaryMaxBytes: 1 << 20})
	return &groups{out: parquet.NewGenericWriter[any](out, options...), most: most, row: make([]parquet.Row, 1), runs: all}
}

// boundless returns the columns of texts or bytes, by number, and the options that keep the library from bounds of them.
// Those are whole values, which it holds to the end of the file and writes there. A column that is ordered in another way
// than by its bytes, such as decimals, is left to the library.
func boundless(schema *parquet.Schema) (all map[int]int, options []parquet.WriterOption) {
	all = map[int]int{}
	for _, path := range schema.Columns() {
		leaf, ok := schema.Lookup(path...)
		if !ok || leaf.Node.Type().Kind() != parquet.ByteArray || !byBytes(leaf.Node.Type().LogicalType()) {
			continue
		}
		all[leaf.ColumnIndex] = 0
		options = append(options, parquet.SkipPageBounds(path...))
	}
	return all, options
}

// byBytes says whether values of this type are ordered by their bytes.
func byBytes(t *format.LogicalType) bool {
	if t == nil || t.Value == nil {
		return true
	}
	switch t.Value.(type) {
	case *format.StringType, *format.EnumType, *format.JsonType, *format.BsonType:
		return true
	}
	return false
}

// leading returns how many bytes 0xff a value begins with. It is less than one of one more.
func leading(value []byte) (n int) {
	for n < len(value) && value[n] == 0xff {
		n++
	}
	return n
}

// empty returns the memory of the row that was written last.
func (g *groups) empty() parquet.Row { return g.row[0][:0] }

// write writes a row. Its values may be changed afterwards.
func (g *groups) write(row parquet.Row) error {
	need := g.need(row)
	if need > g.bound && need > shortBound && g.full(need) {
		if err := g.end(); err != nil {
			return err
		}
	}
	g.row[0] = row
	if _, err := g.out.WriteRows(g.row); err != nil {
		return err
	}
	for i := range row {
		g.bytes += 8
		if kind := row[i].Kind(); kind == parquet.ByteArray || kind == parquet.FixedLenByteArray {
			g.bytes += len(row[i].ByteArray())
		}
		if longest, ok := g.runs[row[i].Column()]; ok && !row[i].IsNull() {
			g.runs[row[i].Column()] = max(longest, leading(row[i].ByteArray()))
		}
	}
	g.bound = max(g.bound, need)
	g.rows++
	if !g.full(g.bound) {
		return nil
	}
	return g.end()
}

// shortBound is how long a bound may be without a thought for how often it is written.
const shortBound = 32

// full says whether the group is large enough, if this is its longest bound. Each page of the column has the bound, and
// begins with a row. Where the bound is not short, a group has fewer pages.
func (g *groups) full(bound int) bool {
	return g.bytes+bound*min(g.rows, g.bytes/parquet.DefaultPageBufferSize) >= g.most
}

// need returns how long a bound the row needs.
func (g *groups) need(row parquet.Row) (most int) {
	for i := range row {
		if _, ok := g.runs[row[i].Column()]; ok && !row[i].IsNull() {
			most = max(most, leading(row[i].ByteArray())+1)
		}
	}
	return most
}

// end ends a group, if there is one. The library keeps the least and the greatest value of each page to the end of the
// file. What it cut short holds in memory what was cut off as well, so it is copied. Of texts and bytes the bounds are the
// empty value and one behind all that there are.
func (g *groups) end() error {
	if g.rows == 0 {
		return nil
	}
	g.rows, g.bytes, g.bound = 0, 0, 0
	if err := g.out.Flush(); err != nil {
		return err
	}
	for n, index := range g.out.File().ColumnIndexes() {
		if run, ok := g.runs[n]; ok {
			for i, null := range index.NullPages {
				if !null {
					index.MinValues[i], index.MaxValues[i] = []byte{}, bytes.Repeat([]byte{0xff}, run+1)
				}
			}
			g.runs[n] = 0
			continue
		}
		for _, values := range [][][]byte{index.MinValues, index.MaxValues} {
			for i := range values {
				values[i] = bytes.Clone(values[i])
			}
		}
	}
	return nil
}

// close ends the last group and the file.
func (g *groups) close() error {
	if err := g.end(); err != nil {
		return err
	}
	return g.out.Close()
}

// ID is the id of a document: a text, or in a file whose ids are integers one of these.
type ID string

// Records writes records of one type as rows of Parquet. The tags of its fields name the columns.
type Records[T any] struct {
	groups  *groups
	columns *columns[T]
}

// NewRecords begins a file. integers says that its ids are integers: where a record has an ID that is none, it is null.
func NewRecords[T any](out io.Writer, integers bool) (*Records[T], error) {
	r := &Records[T]{columns: newColumns[T](integers)}
	return r, guard("begin the file", func() error {
		r.groups = newGroups(out, recordGroupBytes, r.columns.written)
		return nil
	})
}

// Write writes a record. As in JSON, bytes of a text that are no UTF-8 are replaced.
func (r *Records[T]) Write(record *T) error {
	return guard("write a record", func() error { return r.groups.write(r.columns.append(r.groups.empty(), record, 0)) })
}

// Close ends the file.
func (r *Records[T]) Close() error { return guard("end the file", r.groups.close) }

// columns make values of records.
type columns[T any] struct {
	record   *parquet.Schema
	written  *parquet.Schema // the same, but for ids that are integers
	integers []int           // their columns
}

func newColumns[T any](integers bool) *columns[T] {
	c := &columns[T]{record: parquet.SchemaOf(new(T))}
	c.written = c.record
	if integers {
		c.written, c.integers = withIntegers(reflect.TypeFor[T]())
	}
	return c
}

// withIntegers returns the schema of records in which each ID is an optional integer, and their columns.
func withIntegers(record reflect.Type) (schema *parquet.Schema, columns []int) {
	fields := reflect.VisibleFields(record)
	for i := range fields {
		if fields[i].Type == reflect.TypeFor[ID]() {
			fields[i].Type = reflect.TypeFor[*int64]()
			columns = append(columns, i)
		}
	}
	return parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface()), columns
}

// append appends the values of a record to a row, as columns from first on.
func (c *columns[T]) append(row parquet.Row, record *T, first int) parquet.Row {
	from := len(row)
	row = c.record.Deconstruct(row, record)
	own := row[from:]
	for _, column := range c.integers {
		own[column] = integerID(own[column])
	}
	for i, v := range own {
		if v.Kind() == parquet.ByteArray && !utf8.Valid(v.ByteArray()) {
			own[i] = parquet.ByteArrayValue([]byte(string([]rune(string(v.ByteArray())))))
		}
		own[i] = own[i].Level(v.RepetitionLevel(), v.DefinitionLevel(), first+i)
	}
	return row
}

// integerID returns an id as an optional integer, which is null where the id is none.
func integerID(id parquet.Value) parquet.Value {
	n, err := strconv.ParseInt(string(id.ByteArray()), 10, 64)
	if err != nil {
		return parquet.NullValue()
	}
	return parquet.Int64Value(n).Level(0, 1, 0)
}
