package columnar

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// Schema is that of a Parquet file, with what else its columns are written like.
type Schema struct {
	file *parquet.File // its metadata as it is
}

// SchemaOf returns the schema of a file, or an error if a type of it would not be kept in a copy.
func SchemaOf(in io.ReaderAt, size int64) (*Schema, error) {
	footer, err := readFooter(in, size)
	if err != nil {
		return nil, err
	}
	s := &Schema{}
	return s, guard("read its schema", func() error {
		var meta format.FileMetaData
		if err := unmarshal(footer, &meta); err != nil {
			return err
		}
		cleanEncodings(&meta)
		if s.file, err = openMetadata(&meta); err != nil {
			return err
		}
		return s.kept()
	})
}

// kept returns an error if a type would not be kept in a file with this schema.
func (s *Schema) kept() error {
	copied := parquet.NewGenericWriter[any](io.Discard, s.file.Schema())
	if err := copied.Close(); err != nil {
		return err
	}
	if column, same := sameElements(elements(s.file), copied.File().Metadata().Schema); !same {
		return fmt.Errorf("the type of column %s would not be kept: %s", column, s.file.Root().Column(column))
	}
	return nil
}

// cleanEncodings leaves out encodings that are those of levels, which the library would take for those of values, and
// dictionaries of booleans: Impala says that it writes these, and pyarrow does not read them.
func cleanEncodings(meta *format.FileMetaData) {
	for i := range meta.RowGroups {
		for j := range meta.RowGroups[i].Columns {
			c := &meta.RowGroups[i].Columns[j].MetaData
			c.Encoding = slices.DeleteFunc(c.Encoding, func(e format.Encoding) bool {
				return e == format.RLE || e == format.BitPacked || c.Type == format.Boolean && e != format.Plain
			})
			if len(c.Encoding) == 0 {
				c.Encoding = append(c.Encoding, format.Plain)
			}
		}
	}
}

func elements(file *parquet.File) []format.SchemaElement { return file.Metadata().Schema }

// Difference says how the schema of a second file differs from this one, of the first, or is empty if it does not.
func (s *Schema) Difference(of *Schema) string {
	column, same := sameElements(elements(s.file), elements(of.file))
	own, others := namesOf(s.file), namesOf(of.file)
	only := func(all, but []string) string {
		names := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(but, name) })
		return strings.Join(names, ", ")
	}
	switch first, second := only(own, others), only(others, own); {
	case same:
		return ""
	case first == "" && second == "" && !slices.Equal(own, others):
		return "the same in another order"
	case first == "" && second == "":
		return "the types of " + column
	case first == "":
		return "only the second has " + second
	case second == "":
		return "only the first has " + first
	default:
		return fmt.Sprintf("only the first has %s, only the second %s", first, second)
	}
}

// Names returns the names of the columns.
func (s *Schema) Names() []string { return namesOf(s.file) }

func namesOf(file *parquet.File) (all []string) {
	for _, c := range file.Root().Columns() {
		all = append(all, c.Name())
	}
	return all
}

func sameElements(a, b []format.SchemaElement) (column string, same bool) {
	for i := range max(len(a), len(b)) {
		if i >= len(a) {
			return b[i].Name, false
		}
		if i >= len(b) || !sameElement(&a[i], &b[i], i == 0) {
			return a[i].Name, false
		}
	}
	return "", true
}

// sameElement compares parts of schemas. The name of the root means nothing, nor does the length of a type that has one.
func sameElement(a, b *format.SchemaElement, root bool) bool {
	if root {
		return a.NumChildren == b.NumChildren
	}
	length := a.TypeLength.V == b.TypeLength.V || a.Type.V != format.FixedLenByteArray
	return a.Name == b.Name && a.Type == b.Type && length && a.RepetitionType == b.RepetitionType &&
		a.NumChildren.V == b.NumChildren.V && a.FieldID == b.FieldID && sameMeaning(a, b)
}

// sameMeaning compares what values mean. Files of old have converted types only, and an integer without a meaning is a
// signed one.
func sameMeaning(a, b *format.SchemaElement) bool {
	if x, y := meaning(a), meaning(b); x == y {
		return true
	}
	one := a.LogicalType.Value == nil || b.LogicalType.Value == nil
	return one && a.ConvertedType.Valid && a.ConvertedType == b.ConvertedType
}

func meaning(e *format.SchemaElement) string {
	if e.LogicalType.Value != nil || e.ConvertedType.Valid || !e.Type.Valid {
		return e.LogicalType.String()
	}
	if e.Type.V == format.Int32 {
		return "INT(32,true)"
	}
	if e.Type.V == format.Int64 {
		return "INT(64,true)"
	}
	return ""
}

// Copier writes rows of files that have one schema to another file: all columns, their types, and their compression.
type Copier struct {
	out  *groups
	from *Rows // nil before the first file
}

// NewCopier begins a file with this schema, and with what the file with it says of itself.
func NewCopier(out io.Writer, s *Schema) (*Copier, error) {
	var options []parquet.WriterOption
	for _, kv := range s.file.Metadata().KeyValueMetadata {
		options = append(options, parquet.KeyValueMetadata(kv.Key, kv.Value))
	}
	return newCopier(out, s.file.Schema(), options...)
}

func newCopier(out io.Writer, schema *parquet.Schema, options ...parquet.WriterOption) (*Copier, error) {
	c := &Copier{}
	return c, guard("begin the file", func() error {
		c.out = newGroups(out, groupBytes, parquet.NewSchema(schema.Name(), typed{schema}), options...)
		return nil
	})
}

// From opens the file that the next rows are of.
func (c *Copier) From(in io.ReaderAt, size int64) error {
	if err := c.closeFrom(); err != nil {
		return err
	}
	from, err := Open(in, size, Wanted{All: true})
	if err != nil {
		return err
	}
	c.from = from
	return nil
}

// Read returns how many rows of the file were passed or copied.
func (c *Copier) Read() int64 {
	read, _ := c.from.Share()
	return read
}

// Row copies the row of this number, from 1, which is behind those that were copied before.
func (c *Copier) Row(number int64) error {
	return c.row(number, func(row parquet.Row) parquet.Row { return row })
}

// row copies a row, with what appends to it.
func (c *Copier) row(number int64, appended func(parquet.Row) parquet.Row) error {
	for c.Read() < number {
		if err := c.from.forward(); errors.Is(err, io.EOF) {
			return damaged("it has %d rows, and no row %d: it has changed since it was read", c.Read(), number)
		} else if err != nil {
			return err
		}
	}
	row, err := c.from.whole(c.out.empty())
	if err != nil {
		return err
	}
	return guard("write the row", func() error { return c.out.write(appended(row)) })
}

func (r *Rows) whole(row parquet.Row) (parquet.Row, error) {
	r.ahead = false
	err := guard(r.where(), func() error {
		for _, column := range r.columns {
			for first := true; ; first = false {
				v, ok, err := column.peek()
				if err != nil {
					return err
				}
				if !first && (!ok || v.RepetitionLevel() == 0) {
					break
				}
				if v, err = column.take(); err != nil {
					return err
				}
				row = append(row, v.Clone())
			}
		}
		return nil
	})
	return row, err
}

func (c *Copier) closeFrom() error {
	if c.from == nil {
		return nil
	}
	err := c.from.Close()
	c.from = nil
	return err
}

// Close ends the file that is written.
func (c *Copier) Close() error {
	return errors.Join(c.closeFrom(), guard("end the file", c.out.close))
}
